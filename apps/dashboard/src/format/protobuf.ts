/** A field of a message whose schema is not known. */
export interface ProtobufField {
  readonly number: number
  /** What the wire says; a number may be signed, a float or an enum as well. */
  readonly value: string | number | bigint | readonly ProtobufField[] | Uint8Array
}

const MAX_DEPTH = 16
const MAX_FIELDS = 5000
const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** The fields of a message without its schema; undefined where the bytes are not one. */
export function readProtobuf(bytes: Uint8Array): readonly ProtobufField[] | undefined {
  return readMessage(bytes, 0, { fields: MAX_FIELDS })
}

/** The messages of a gRPC body: a flag and a length before each. Undefined where the lengths do not fit. */
export function grpcMessages(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const messages: Uint8Array[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  while (at < bytes.length && messages.length < MAX_FIELDS) {
    if (at + 5 > bytes.length || bytes[at]! > 1) return undefined
    const end = at + 5 + view.getUint32(at + 1)
    if (end > bytes.length) return undefined
    messages.push(bytes.subarray(at + 5, end))
    at = end
  }
  return messages
}

interface Budget {
  fields: number
}

function readMessage(bytes: Uint8Array, depth: number, budget: Budget): readonly ProtobufField[] | undefined {
  const fields: ProtobufField[] = []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  const varint = (): bigint | undefined => {
    let value = 0n
    for (let shift = 0n; shift < 70n && at < bytes.length; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return undefined
  }
  while (at < bytes.length) {
    if (budget.fields-- <= 0) return undefined
    const tag = varint()
    if (tag === undefined || tag > 0xffff_ffffn) return undefined
    const number = Number(tag >> 3n)
    if (number === 0) return undefined
    switch (Number(tag & 7n)) {
      case VARINT: {
        const value = varint()
        if (value === undefined) return undefined
        fields.push({ number, value: value <= Number.MAX_SAFE_INTEGER ? Number(value) : value })
        break
      }
      case FIXED64:
        if (at + 8 > bytes.length) return undefined
        fields.push({ number, value: view.getFloat64(at, true) })
        at += 8
        break
      case FIXED32:
        if (at + 4 > bytes.length) return undefined
        fields.push({ number, value: view.getFloat32(at, true) })
        at += 4
        break
      case BYTES: {
        const length = varint()
        if (length === undefined || length > bytes.length - at) return undefined
        const part = bytes.subarray(at, at + Number(length))
        at += part.length
        fields.push({ number, value: readBytes(part, depth, budget) })
        break
      }
      default:
        return undefined
    }
  }
  return fields
}

/** A text, a message inside, or bytes: the wire does not say which, and a text is the most frequent. */
function readBytes(part: Uint8Array, depth: number, budget: Budget): ProtobufField['value'] {
  const text = readText(part)
  if (text !== undefined) return text
  const inner = depth < MAX_DEPTH ? readMessage(part, depth + 1, budget) : undefined
  return inner ?? part
}

function readText(part: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(part)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a text of people has none but these
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
