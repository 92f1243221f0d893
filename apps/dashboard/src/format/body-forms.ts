import { grpcMessages, type ProtobufField, readProtobuf } from './protobuf.ts'

/** A way to read a body. */
export type BodyForm =
  | { readonly kind: 'tree'; readonly value: unknown }
  | { readonly kind: 'graphql'; readonly query: string; readonly variables: unknown }
  | { readonly kind: 'form'; readonly pairs: readonly (readonly [string, string])[] }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'protobuf'; readonly messages: readonly (readonly ProtobufField[])[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hex'; readonly bytes: Uint8Array }

export interface RawBody {
  readonly body: string
  readonly encoding: string | undefined
  /** Of the `content-type` header, or empty. */
  readonly type: string
}

/** SVG is left out: it is text, and may hold scripts. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)\b/
const FORM = /^application\/x-www-form-urlencoded\b/
const GRPC = /^application\/(?:grpc|grpc-web)\b/
const PROTOBUF = /^application\/(?:x-)?(?:protobuf|vnd\.google\.protobuf)\b/
const MAX_PAIRS = 500

/** The ways in which a body can be read, the best first. */
export function bodyForms({ body, encoding, type }: RawBody): readonly BodyForm[] {
  const kind = type.toLowerCase()
  const isText = encoding !== 'base64'
  const bytes = isText ? new TextEncoder().encode(body) : fromBase64(body)
  return [
    ...(isText ? [...jsonForms(body), ...formForms(body, kind)] : imageForms(body, kind)),
    ...protobufForms(bytes, kind),
    ...(isText ? [{ kind: 'text' as const, text: body }] : []),
    { kind: 'hex' as const, bytes },
  ]
}

function jsonForms(body: string): readonly BodyForm[] {
  const first = body.trimStart()[0]
  if (first !== '{' && first !== '[') return []
  try {
    const value: unknown = JSON.parse(body)
    return [...graphqlForms(value), { kind: 'tree', value }]
  } catch {
    return []
  }
}

function graphqlForms(value: unknown): readonly BodyForm[] {
  if (typeof value !== 'object' || value === null) return []
  const { query, variables } = value as { readonly query?: unknown; readonly variables?: unknown }
  if (typeof query !== 'string' || !/^\s*(?:query|mutation|subscription|fragment|\{|#)/.test(query)) return []
  return [{ kind: 'graphql', query, variables }]
}

function formForms(body: string, type: string): readonly BodyForm[] {
  if (!FORM.test(type)) return []
  return [{ kind: 'form', pairs: [...new URLSearchParams(body)].slice(0, MAX_PAIRS) }]
}

function imageForms(body: string, type: string): readonly BodyForm[] {
  const found = IMAGE.exec(type)
  return found ? [{ kind: 'image', source: `data:${found[0]};base64,${body}` }] : []
}

function protobufForms(bytes: Uint8Array, type: string): readonly BodyForm[] {
  const parts = GRPC.test(type) ? grpcMessages(bytes) : PROTOBUF.test(type) ? [bytes] : undefined
  const messages = parts?.map(readProtobuf)
  if (!messages || messages.length === 0 || !messages.every((one) => one !== undefined)) return []
  return [{ kind: 'protobuf', messages }]
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new TextEncoder().encode(text)
  }
}
