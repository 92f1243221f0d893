import type { KflField } from '../client/hub.ts'

/** The name of a field as filters write it, with the key of a map behind it: `request.headers["host"]`. */
const NAME = /^([a-z_][\w.]*)(?:\["([^"\\]{1,100})"\])?$/i

/** Where a named field is in the full call, with dots; nothing for a name that the catalog does not have. */
export function fieldPath(
  name: string,
  fields: readonly Pick<KflField, 'name' | 'path' | 'type'>[],
): string | undefined {
  const [, head, key] = NAME.exec(name.trim()) ?? []
  const field = fields.find((one) => one.name === head)
  if (!field || (key !== undefined && field.type !== 'map')) return undefined
  return key === undefined ? field.path : `${field.path}.${key}`
}

/** The value at a path in a call or a part of one. Keys of maps may contain dots; headers are found in any case. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value
  if (typeof value !== 'object' || value === null) return undefined
  const record = value as Readonly<Record<string, unknown>>
  if (Object.hasOwn(record, path)) return record[path]
  const dot = path.indexOf('.')
  const head = dot < 0 ? path : path.slice(0, dot)
  const name = Object.keys(record).find((key) => key === head || key.toLowerCase() === path.toLowerCase())
  if (name === undefined) return undefined
  return name === head && dot >= 0 ? valueAt(record[name], path.slice(dot + 1)) : record[name]
}
