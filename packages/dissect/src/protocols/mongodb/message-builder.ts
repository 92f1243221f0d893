import { OPCODE } from './opcode.ts'

export type Value = string | number | boolean | null | bigint | Uint8Array | readonly Value[] | Document
export interface Document {
  readonly [name: string]: Value
}

/** Little-endian numbers of four bytes. */
export function ints(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [i, value] of values.entries()) view.setInt32(i * 4, value, true)
  return new Uint8Array(view.buffer)
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

export function cstring(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`)
}

/** Whole numbers become int32, others doubles. */
export function bson(document: Document | readonly Value[]): Uint8Array {
  const elements = join(...Object.entries(document).map(([name, value]) => element(name, value)))
  return join(ints(elements.length + 5), elements, Uint8Array.of(0))
}

function element(name: string, value: Value): Uint8Array {
  const [type, bytes] = encoded(value)
  return join(Uint8Array.of(type), cstring(name), bytes)
}

function encoded(value: Value): [type: number, bytes: Uint8Array] {
  if (value === null) return [0x0a, new Uint8Array(0)]
  if (typeof value === 'string') return [0x02, join(ints(cstring(value).length), cstring(value))]
  if (typeof value === 'boolean') return [0x08, Uint8Array.of(Number(value))]
  if (typeof value === 'bigint') return [0x12, new Uint8Array(BigInt64Array.of(value).buffer)]
  if (typeof value === 'number')
    return Number.isInteger(value)
      ? [0x10, ints(value)]
      : [0x01, new Uint8Array(Float64Array.of(value).buffer)]
  if (value instanceof Uint8Array) return [0x05, join(ints(value.length), Uint8Array.of(0), value)]
  return Array.isArray(value) ? [0x04, bson(value)] : [0x03, bson(value as Document)]
}

export function message(
  opcode: number,
  id: number,
  answers: number,
  ...payload: readonly Uint8Array[]
): Uint8Array {
  const rest = join(...payload)
  return join(ints(rest.length + 16, id, answers, opcode), rest)
}

export function opMsg(
  id: number,
  answers: number,
  document: Document,
  flags = 0,
  ...more: Uint8Array[]
): Uint8Array {
  return message(OPCODE.MSG, id, answers, ints(flags), Uint8Array.of(0), bson(document), ...more)
}

/** A section of kind 1. */
export function sequence(name: string, ...documents: readonly Document[]): Uint8Array {
  const rest = join(cstring(name), ...documents.map(bson))
  return join(Uint8Array.of(1), ints(rest.length + 4), rest)
}
