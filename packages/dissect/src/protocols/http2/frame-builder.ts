import { PREFACE, TYPE } from './frame.ts'

/** Frames written by hand, for tests. Header blocks given as objects use literals only. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Uint8Array {
  const { length } = payload
  return Uint8Array.from([
    ...[length >> 16, (length >> 8) & 255, length & 255, type, flags],
    ...[stream >>> 24, (stream >> 16) & 255, (stream >> 8) & 255, stream & 255],
    ...payload,
  ])
}

export const settings = frame(TYPE.settings, 0, 0, [0, 3, 0, 0, 0, 100])
export const preface = joined(PREFACE, settings)

/** A literal that is not added to the table, or one that is. */
export function literal(name: string, value: string, indexing = false): number[] {
  const text = (one: string) => [one.length, ...new TextEncoder().encode(one)]
  return [indexing ? 0x40 : 0, ...text(name), ...text(value)]
}

function block(headers: Readonly<Record<string, string>>, indexing = false): number[] {
  return Object.entries(headers).flatMap(([name, value]) => literal(name, value, indexing))
}

export function headers(
  stream: number,
  content: Readonly<Record<string, string>> | readonly number[],
  flags = 4,
): Uint8Array {
  return frame(TYPE.headers, flags, stream, isBlock(content) ? content : block(content))
}

export function get(stream: number, path: string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  return headers(
    stream,
    { ':method': 'GET', ':scheme': 'http', ':path': path, ':authority': 'shop', ...more },
    5,
  )
}

export function post(stream: number, path: string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  return headers(
    stream,
    { ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'shop', ...more },
    4,
  )
}

export function data(stream: number, text: string | Uint8Array, last = false): Uint8Array {
  return frame(
    TYPE.data,
    last ? 1 : 0,
    stream,
    typeof text === 'string' ? new TextEncoder().encode(text) : text,
  )
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

function isBlock(
  content: Readonly<Record<string, string>> | readonly number[],
): content is readonly number[] {
  return Array.isArray(content)
}
