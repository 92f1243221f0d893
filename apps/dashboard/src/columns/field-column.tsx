import type { Column } from './column.ts'

const MAX_CHARS = 300
const KEY = /\["(.+)"\]$/

/** A column of any field of the filter language. `name` is how a filter writes it, `path` where the full call has it. */
export function fieldColumn(name: string, path: string): Column {
  return {
    id: name,
    title: name,
    wide: { least: 110 },
    medium: { least: 80 },
    asks: wholeMap(name, path),
    render: (call, readValue) => cellText(readValue(call.id, path)),
    tooltip: (call, readValue) => cellText(readValue(call.id, path)) || undefined,
  }
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.slice(0, MAX_CHARS)
}

/** The hub chooses keys of maps exactly as they are written, filters do in any case: the whole map is asked for. */
function wholeMap(name: string, path: string): string {
  const [, key] = KEY.exec(name) ?? []
  return key === undefined ? path : path.slice(0, -key.length - 1)
}
