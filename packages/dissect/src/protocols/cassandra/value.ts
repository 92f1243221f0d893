import { Malformed } from '@tapdeck/wire'
import { utf8 } from '../../text/text.ts'
import { CqlCursor, formatInet } from './cql-cursor.ts'
import { hex } from './prepared.ts'
import { type ColumnType, TYPE } from './type.ts'

export type Shown = string | number | boolean | null | readonly Shown[] | { readonly [name: string]: Shown }

const NANOSECONDS_A_DAY = 86_400_000_000_000n
/** Writing down longer ones takes too long. */
const MAX_NUMBER_LENGTH = 256
const EPOCH_DAY = 0x80000000
const DAY = 86_400_000
/** Days and milliseconds beyond which there is no date to write down. */
const FARTHEST = 8.64e15

/** A value as people read it: §6. What is not of its type's size, or of an unknown type, as it stands. */
function readValue(bytes: Uint8Array, type: ColumnType | undefined): Shown {
  if (type === undefined) return untyped(bytes)
  try {
    return typed(bytes, type)
  } catch (error) {
    if (!(error instanceof Malformed || error instanceof RangeError)) throw error
    return `0x${hex(bytes)}`
  }
}

function untyped(bytes: Uint8Array): string {
  const text = utf8(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
  return text === undefined || /[\x00-\x08\x0e-\x1f]/.test(text) ? `0x${hex(bytes)}` : text
}

function typed(bytes: Uint8Array, type: ColumnType): Shown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (type.id) {
    case TYPE.ascii:
    case TYPE.text:
    case TYPE.varchar:
      return utf8(bytes) ?? `0x${hex(bytes)}`
    case TYPE.int:
      return view.getInt32(0)
    case TYPE.smallint:
      return view.getInt16(0)
    case TYPE.tinyint:
      return view.getInt8(0)
    case TYPE.bigint:
    case TYPE.counter:
      return String(view.getBigInt64(0))
    case TYPE.varint:
      return String(varint(bytes))
    case TYPE.decimal:
      return decimal(varint(bytes.subarray(4)), view.getInt32(0))
    case TYPE.double:
      return number(view.getFloat64(0))
    case TYPE.float:
      return number(Number(view.getFloat32(0).toPrecision(7)))
    case TYPE.boolean:
      return view.getUint8(0) !== 0
    case TYPE.uuid:
    case TYPE.timeuuid:
      return new CqlCursor(bytes).uuid()
    case TYPE.inet:
      return formatInet(bytes)
    case TYPE.timestamp:
      return moment(Number(view.getBigInt64(0)))
    case TYPE.date:
      return moment((view.getUint32(0) - EPOCH_DAY) * DAY).slice(0, -14)
    case TYPE.time:
      return timeOfDay(view.getBigInt64(0))
    case TYPE.duration:
      return duration(new CqlCursor(bytes))
    case TYPE.list:
    case TYPE.set:
      return readList(new CqlCursor(bytes), type.of[0])
    case TYPE.map:
      return readMap(new CqlCursor(bytes), type)
    case TYPE.tuple:
    case TYPE.udt:
      return readParts(new CqlCursor(bytes), type)
    default:
      return `0x${hex(bytes)}`
  }
}

export function shownValue(value: ReturnType<CqlCursor['value']>, type: ColumnType | undefined): Shown {
  if (value === 'null') return null
  return value === 'not set' ? '(not set)' : readValue(value, type)
}

function readList(cursor: CqlCursor, type: ColumnType): Shown[] {
  const list: Shown[] = []
  for (let count = cursor.int(); count > 0; count--) list.push(shownValue(cursor.value(), type))
  return list
}

function readMap(cursor: CqlCursor, { of: [key, value] }: ColumnType): Shown {
  const map: Record<string, Shown> = Object.create(null)
  for (let count = cursor.int(); count > 0; count--) {
    const name = shownValue(cursor.value(), key)
    map[typeof name === 'string' ? name : JSON.stringify(name)] = shownValue(cursor.value(), value)
  }
  return { ...map }
}

/** There may be fewer values than the type has: it grew since. */
function readParts(cursor: CqlCursor, { of, names }: ColumnType): Shown {
  const parts: Shown[] = []
  for (let i = 0; i < of.length && cursor.left > 0; i++) parts.push(shownValue(cursor.value(), of[i]))
  return names === undefined ? parts : Object.fromEntries(parts.map((part, i) => [names[i], part]))
}

/** JSON has no other numbers. */
function number(value: number): number | string {
  return Number.isFinite(value) ? value : String(value)
}

/** Two's complement of any length. */
function varint(bytes: Uint8Array): bigint {
  if (bytes.length === 0 || bytes.length > MAX_NUMBER_LENGTH) throw new Malformed('no number')
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`))
}

function decimal(unscaled: bigint, scale: number): string {
  if (scale <= 0 || scale > 1000) return scale === 0 ? String(unscaled) : `${unscaled}E${-scale}`
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function moment(milliseconds: number): string {
  if (Math.abs(milliseconds) > FARTHEST) throw new Malformed('no date')
  return new Date(milliseconds).toISOString()
}

function timeOfDay(nanoseconds: bigint): string {
  if (nanoseconds < 0n || nanoseconds >= NANOSECONDS_A_DAY) throw new Malformed('no time of day')
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(11, 19)
  return `${seconds}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}`
}

function duration(cursor: CqlCursor): string {
  const months = vint(cursor)
  const days = vint(cursor)
  return `${months}mo${days}d${vint(cursor)}ns`
}

/** [vint]: the ones before the first zero say how many bytes follow; zig-zag. */
function vint(cursor: CqlCursor): bigint {
  const first = cursor.byte()
  const more = Math.clz32(~(first << 24))
  let value = BigInt(more >= 7 ? 0 : first & (0xff >> (more + 1)))
  for (let i = 0; i < more; i++) value = (value << 8n) | BigInt(cursor.byte())
  return (value >> 1n) ^ -(value & 1n)
}
