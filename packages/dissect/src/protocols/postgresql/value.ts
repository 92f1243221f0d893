import { utf8 } from '../../text/text.ts'
import { int16, int32 } from './bytes.ts'

/** Object ids of types in every server's catalog: `pg_type`. */
const OID = {
  bool: 16,
  bytea: 17,
  char: 18,
  name: 19,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  xml: 142,
  float4: 700,
  float8: 701,
  unknown: 705,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  uuid: 2950,
} as const

/** Dates count from here, in days or microseconds. */
const EPOCH = Date.UTC(2000, 0, 1)

/** A value as text: of the binary format, those types that are everywhere, and the rest as `\x` and digits. */
export function readValue(bytes: Uint8Array, binary: boolean, type: number): string {
  const text = binary ? readBinary(bytes, type) : utf8(bytes)
  return text ?? `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

function readBinary(bytes: Uint8Array, type: number): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (type) {
    case OID.bool:
      return bytes.length === 1 ? (bytes[0] === 1 ? 't' : 'f') : undefined
    case OID.int2:
      return bytes.length === 2 ? String((int16(bytes, 0) << 16) >> 16) : undefined
    case OID.int4:
      return bytes.length === 4 ? String(int32(bytes, 0)) : undefined
    case OID.oid:
      return bytes.length === 4 ? String(int32(bytes, 0) >>> 0) : undefined
    case OID.int8:
      return bytes.length === 8 ? String(view.getBigInt64(0)) : undefined
    case OID.float4:
      return bytes.length === 4 ? String(view.getFloat32(0)) : undefined
    case OID.float8:
      return bytes.length === 8 ? String(view.getFloat64(0)) : undefined
    case OID.uuid:
      return bytes.length === 16 ? uuid(bytes) : undefined
    case OID.date:
      return bytes.length === 4 ? moment(EPOCH + int32(bytes, 0) * 86_400_000)?.slice(0, 10) : undefined
    case OID.timestamp:
    case OID.timestamptz:
      return bytes.length === 8 ? moment(EPOCH + Number(view.getBigInt64(0)) / 1000) : undefined
    case OID.char:
    case OID.name:
    case OID.text:
    case OID.json:
    case OID.xml:
    case OID.unknown:
    case OID.bpchar:
    case OID.varchar:
      return utf8(bytes)
    default:
      return undefined
  }
}

function moment(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
