import { baseFields, SAME_PATH } from './base-fields.ts'
import type { CatalogField, ValueType } from './field.ts'
import { PROTOCOLS } from './flag-fields.ts'
import { nearest } from './nearest.ts'

/** What a protocol says of a field; the dissectors' `Field` fits. */
export interface ProtocolField {
  readonly type: ValueType
  readonly path: string
  readonly doc: string
  readonly example: string
}

export type ProtocolFields = Readonly<
  Record<string, { readonly name: string; readonly fields: Readonly<Record<string, ProtocolField>> }>
>

/** All names that a filter may use. */
export interface Catalog {
  readonly fields: readonly CatalogField[]
  /** The words that `proto` may hold. */
  readonly protocols: readonly string[]
  find(name: string): CatalogField | undefined
  /** The known name that an unknown one most likely meant. */
  nearest(name: string): string | undefined
}

/** gRPC and GraphQL are spoken over HTTP: its fields are theirs too. */
const CARRIED: Readonly<Record<string, readonly string[]>> = { http: ['http', 'grpc', 'graphql'] }

export function createCatalog(protocols: ProtocolFields): Catalog {
  const words = [...new Set([...PROTOCOLS, ...Object.values(protocols).map((protocol) => protocol.name)])]
  const owned = new Map<string, CatalogField>()
  for (const protocol of Object.values(protocols)) {
    const scope = CARRIED[protocol.name] ?? [protocol.name]
    for (const [name, field] of Object.entries(protocol.fields)) {
      owned.set(name, merged(owned.get(name), protocolField(name, field, scope)))
    }
  }
  const byName = new Map<string, CatalogField>()
  for (const field of baseFields(words, (name) => owned.has(name))) byName.set(field.name, field)
  for (const [name, field] of owned) if (!byName.has(name)) byName.set(name, field)
  const fields = [...byName.values()]
  const names = fields.map((field) => field.name)
  return {
    fields,
    protocols: words,
    find: (name) => byName.get(name),
    nearest: (name) => nearest(name, names),
  }
}

function protocolField(name: string, field: ProtocolField, protocols: readonly string[]): CatalogField {
  const path = SAME_PATH[field.path] ?? field.path
  const { doc, example } = field
  const keys = field.type === 'map' && /headers$/.test(path) ? { ignoreCase: true } : {}
  return { name, type: path === 'status' ? 'status' : field.type, path, doc, example, protocols, ...keys }
}

/** A name that several protocols use is read wherever the call has it. */
function merged(before: CatalogField | undefined, field: CatalogField): CatalogField {
  if (!before) return field
  const protocols = [...new Set([...(before.protocols ?? []), ...(field.protocols ?? [])])]
  const paths = new Set([...(before.fallbacks ?? []), field.path])
  paths.delete(before.path)
  return { ...before, protocols, ...(paths.size > 0 ? { fallbacks: [...paths] } : {}) }
}
