import type { ByteWriter } from '../bytes/byte-writer.ts'
import type { FieldValue } from '../contract/message.ts'

const COMMA = 0x2c
const QUOTE = 0x22
const encoder = new TextEncoder()

/**
 * A value as JSON, byte for byte as `JSON.stringify` does, but without the string, which would cost most of a small
 * call.
 */
export function writeJson(value: FieldValue, writer: ByteWriter): void {
  if (typeof value === 'string') writeString(value, writer)
  else if (typeof value === 'number') writeNumber(value, writer)
  else if (value === null || typeof value === 'boolean') writer.plain(String(value))
  else if (isList(value)) writeList(value, writer)
  else writeObject(value, writer)
}

function writeObject(value: { readonly [key: string]: FieldValue }, writer: ByteWriter): void {
  let next = 0x7b
  for (const key in value) {
    const member = value[key]
    if (member === undefined) continue
    writer.byte(next)
    next = COMMA
    writeString(key, writer)
    writer.byte(0x3a)
    writeJson(member, writer)
  }
  if (next !== COMMA) writer.byte(next)
  writer.byte(0x7d)
}

function writeList(value: readonly FieldValue[], writer: ByteWriter): void {
  writer.byte(0x5b)
  for (let i = 0; i < value.length; i++) {
    if (i > 0) writer.byte(COMMA)
    writeJson(value[i] ?? null, writer)
  }
  writer.byte(0x5d)
}

function writeNumber(value: number, writer: ByteWriter): void {
  const whole = value | 0
  // -0 is written as 0, as `JSON.stringify` does.
  if (whole === value && whole >= 0) writer.digits(whole)
  else writer.plain(Number.isFinite(value) ? String(value) : 'null')
}

function writeString(value: string, writer: ByteWriter): void {
  const start = writer.length
  writer.byte(QUOTE)
  if (writer.plain(value)) writer.byte(QUOTE)
  else {
    writer.cut(start)
    writer.raw(encoder.encode(JSON.stringify(value)))
  }
}

function isList(value: FieldValue): value is readonly FieldValue[] {
  return Array.isArray(value)
}
