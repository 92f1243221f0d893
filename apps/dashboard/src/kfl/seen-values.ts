import type { CompactCall } from '../client/call-details.ts'
import type { KflCompletion } from '../client/hub.ts'
import { quote } from './clause.ts'

type Read = (call: CompactCall) => string | number | undefined

const common: Readonly<Record<string, Read>> = {
  proto: (call) => call.proto,
  method: (call) => call.method,
  'request.method': (call) => call.method,
  path: (call) => call.path,
  'request.path': (call) => call.path,
  status: (call) => call.status,
  'response.status': (call) => call.status,
  error: (call) => call.error,
}
const ofPeer = ['pod', 'svc', 'ns', 'node', 'ip', 'port'] as const

const most = 12
const longest = 120

/**
 * Behind `dst.svc == ` or `dst.svc == "ca` stand values that the calls on the page really have, the most frequent
 * first. Nothing where no value is being written, or none was seen.
 */
export function seenValues(
  filter: string,
  caret: number,
  calls: Iterable<CompactCall>,
): KflCompletion | undefined {
  const match = /(?:^|[\s(])([a-z_.]+)\s*[=!]=\s*(["']?)([^"']*)$/.exec(filter.slice(0, caret))
  if (!match) return undefined
  const [, field = '', mark = '', typed = ''] = match
  const read = readerOf(field)
  if (!read || (mark === '' && /\s/.test(typed))) return undefined
  const counts = new Map<string | number, number>()
  for (const call of calls) {
    const value = read(call)
    if (value === undefined || String(value).length > longest) continue
    if (String(value).startsWith(typed)) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const values = [...counts].sort(([, a], [, b]) => b - a).slice(0, most)
  if (values.length === 0 || (values.length === 1 && values[0]?.[0] === typed)) return undefined
  const closes = mark !== '' && filter[caret] === mark
  return {
    from: caret - typed.length - mark.length,
    to: closes ? caret + 1 : caret,
    items: values.map(([value, count]) => ({
      label: typeof value === 'number' ? String(value) : quote(value),
      kind: 'seen',
      doc: `${count} times on this page`,
    })),
  }
}

function readerOf(field: string): Read | undefined {
  if (Object.hasOwn(common, field)) return common[field]
  const [side, name] = field.split('.')
  const part = ofPeer.find((each) => each === name)
  if (part === undefined || (side !== 'src' && side !== 'dst')) return undefined
  return (call) => call[side][part]
}
