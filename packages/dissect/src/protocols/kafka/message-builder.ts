/** Numbers as single bytes, texts as their bytes. */
export type Part = number | string | Uint8Array

export function join(...parts: readonly Part[]): Uint8Array {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === 'number' ? Uint8Array.of(part) : typeof part === 'string' ? Buffer.from(part) : part,
      ),
    ),
  )
}

export function int16(value: number): Uint8Array {
  return Uint8Array.of((value >> 8) & 255, value & 255)
}

export function int32(value: number): Uint8Array {
  return join(int16(value >> 16), int16(value))
}

export function int64(value: number): Uint8Array {
  return join(int32(0), int32(value))
}

/** With its length in two bytes. */
export function text(value: string): Uint8Array {
  return join(int16(value.length), value)
}

/** KIP-482: with its length and one more in a varint. */
export function compact(value: string): Uint8Array {
  return join(value.length + 1, value)
}

export function framed(...parts: readonly Part[]): Uint8Array {
  const rest = join(...parts)
  return join(int32(rest.length), rest)
}

/** The header without tagged fields: those are the first byte of a flexible body. */
export function request(
  api: number,
  version: number,
  correlation: number,
  ...body: readonly Part[]
): Uint8Array {
  return framed(int16(api), int16(version), int32(correlation), text('shop'), ...body)
}

export function response(correlation: number, ...body: readonly Part[]): Uint8Array {
  return framed(int32(correlation), ...body)
}
