import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { Malformed } from '@tapdeck/wire'
import { base64, latin1, utf8 } from '../../text/text.ts'
import { readName, skipName } from './name.ts'
import { typeName } from './names.ts'

/** The data of one record: `bytes[at, end)`, in a message that begins at `start` (names point back into it). */
export interface RecordData {
  readonly bytes: Uint8Array
  readonly start: number
  readonly at: number
  readonly end: number
}

/** Record data in the presentation format of its type's RFC; an unknown type as RFC 3597 §5 has it. */
export function readData(type: number, data: RecordData): string {
  const format = FORMATS[type]
  try {
    if (format !== undefined) return format(new Cursor(data))
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return `\\# ${data.end - data.at} ${hex(data.bytes, data.at, data.end)}`.trimEnd()
}

/** Walks through one record's data. */
class Cursor {
  readonly #data: RecordData
  #at: number

  constructor(data: RecordData) {
    this.#data = data
    this.#at = data.at
  }

  get left(): number {
    return this.#data.end - this.#at
  }

  take(count: number): number {
    if (count > this.left) throw new Malformed('record cut short')
    this.#at += count
    return this.#at - count
  }

  u8(): number {
    return this.#data.bytes[this.take(1)]
  }

  u16(): number {
    const at = this.take(2)
    return (this.#data.bytes[at] << 8) | this.#data.bytes[at + 1]
  }

  u32(): number {
    return this.u16() * 65536 + this.u16()
  }

  name(): string {
    const { bytes, start, end } = this.#data
    const name = readName(bytes, start, this.#at, end)
    this.#at = skipName(bytes, this.#at, end)
    return name
  }

  view(count = this.left): Uint8Array {
    const at = this.take(count)
    return this.#data.bytes.subarray(at, at + count)
  }

  /** A character-string: RFC 1035 §3.3. */
  text(): string {
    const bytes = this.view(this.u8())
    return utf8(bytes) ?? latin1(bytes)
  }

  hex(count = this.left): string {
    const at = this.take(count)
    return hex(this.#data.bytes, at, at + count)
  }

  base64(): string {
    return base64(this.view())
  }
}

type Format = (data: Cursor) => string

const address4: Format = (data) => formatIPv4(data.view(4), 0)
const address6: Format = (data) => formatIPv6(data.view(16), 0)
const name: Format = (data) => data.name()
const texts: Format = (data) => {
  const all: string[] = []
  while (data.left > 0) all.push(data.text())
  return all.length === 1 ? all[0] : all.map((text) => `"${text}"`).join(' ')
}
const signed: Format = (d) =>
  `${typeName(d.u16())} ${d.u8()} ${d.u8()} ${d.u32()} ${moment(d.u32())} ${moment(d.u32())} ${d.u16()} ${d.name()} ${d.base64()}`
const key: Format = (d) => `${d.u16()} ${d.u8()} ${d.u8()} ${d.base64()}`
const digest: Format = (d) => `${d.u16()} ${d.u8()} ${d.u8()} ${d.hex()}`
const association: Format = (d) => `${d.u8()} ${d.u8()} ${d.u8()} ${d.hex()}`

const FORMATS: Readonly<Record<number, Format | undefined>> = {
  1: address4,
  2: name,
  5: name,
  6: (d) => `${d.name()} ${d.name()} ${d.u32()} ${d.u32()} ${d.u32()} ${d.u32()} ${d.u32()}`,
  12: name,
  13: (d) => `${d.text()} ${d.text()}`,
  15: (d) => `${d.u16()} ${d.name()}`,
  16: texts,
  17: (d) => `${d.name()} ${d.name()}`,
  18: (d) => `${d.u16()} ${d.name()}`,
  24: signed,
  25: key,
  28: address6,
  33: (d) => `${d.u16()} ${d.u16()} ${d.u16()} ${d.name()}`,
  35: (d) => `${d.u16()} ${d.u16()} "${d.text()}" "${d.text()}" "${d.text()}" ${d.name()}`,
  36: (d) => `${d.u16()} ${d.name()}`,
  39: name,
  43: digest,
  44: (d) => `${d.u8()} ${d.u8()} ${d.hex()}`,
  46: signed,
  47: (d) => [d.name(), ...typeBitmap(d)].join(' '),
  48: key,
  50: (d) => [d.u8(), d.u8(), d.u16(), saltOf(d), base32hex(d.view(d.u8())), ...typeBitmap(d)].join(' '),
  51: (d) => `${d.u8()} ${d.u8()} ${d.u16()} ${saltOf(d)}`,
  52: association,
  53: association,
  59: digest,
  60: key,
  64: service,
  65: service,
  99: texts,
  256: (d) => `${d.u16()} ${d.u16()} "${latin1(d.view())}"`,
  257: (d) => `${d.u8()} ${d.text()} "${latin1(d.view())}"`,
}

/** RFC 9460 §14.3.2 */
const PARAMETERS: readonly string[] = [
  'mandatory',
  'alpn',
  'no-default-alpn',
  'port',
  'ipv4hint',
  'ech',
  'ipv6hint',
  'dohpath',
  'ohttp',
]

function service(data: Cursor): string {
  const parts = [String(data.u16()), data.name()]
  while (data.left > 0) {
    const code = data.u16()
    const length = data.u16()
    const label = PARAMETERS[code] ?? `key${code}`
    const value = parameter(code, data, length)
    parts.push(value === '' ? label : `${label}=${value}`)
  }
  return parts.join(' ')
}

function parameter(code: number, data: Cursor, length: number): string {
  const until = data.left - length
  if (until < 0) throw new Malformed('parameter cut short')
  const each = (read: () => string) => {
    const all: string[] = []
    while (data.left > until) all.push(read())
    return all.join(',')
  }
  if (code === 0)
    return each(() => {
      const mandatory = data.u16()
      return PARAMETERS[mandatory] ?? `key${mandatory}`
    })
  if (code === 1) return each(() => data.text())
  if (code === 3) return String(data.u16())
  if (code === 4) return each(() => address4(data))
  if (code === 6) return each(() => address6(data))
  if (code === 7) return latin1(data.view(length))
  return base64(data.view(length))
}

/** RFC 4034 §4.1.2 */
function typeBitmap(data: Cursor): string[] {
  const types: string[] = []
  while (data.left > 0) {
    const window = data.u8()
    const bitmap = data.view(data.u8())
    for (let i = 0; i < bitmap.length * 8; i++)
      if (bitmap[i >> 3] & (0x80 >> (i & 7))) types.push(typeName(window * 256 + i))
  }
  return types
}

function saltOf(data: Cursor): string {
  return data.hex(data.u8()) || '-'
}

/** RFC 4034 §3.2: YYYYMMDDHHmmSS */
function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\D/g, '').slice(0, 14)
}

function hex(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('hex')
}

/** RFC 4648 §7, as RFC 5155 writes hashed names. */
function base32hex(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += '0123456789abcdefghijklmnopqrstuv'[(held >> bits) & 31]
    }
  }
  return bits > 0 ? text + '0123456789abcdefghijklmnopqrstuv'[(held << (5 - bits)) & 31] : text
}
