import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../contract/message.ts'
import { base64, utf8 } from '../../text/text.ts'
import { MqttCursor } from './mqtt-cursor.ts'
import { readProperties, skipProperties } from './properties.ts'

const FLAG = { CLEAN: 2, WILL: 4, RETAIN: 32, PASSWORD: 64, USER: 128 } as const

/** Blanks the password and other proofs of identity in the copied packet, whose variable header begins at `at`. */
export function hideSecrets(head: Uint8Array, at: number): void {
  const cursor = new MqttCursor(head, at)
  try {
    cursor.skip(cursor.short())
    const version = cursor.byte() & 0x7f
    const flags = cursor.byte()
    cursor.skip(2)
    if (version === 5) skipProperties(cursor, true)
    cursor.skip(cursor.short())
    if (flags & FLAG.WILL) {
      if (version === 5) skipProperties(cursor)
      cursor.skip(cursor.short())
      cursor.skip(cursor.short())
    }
    if (flags & FLAG.USER) cursor.skip(cursor.short())
    if (flags & FLAG.PASSWORD) head.fill(0x2a, Math.min(cursor.at + 2, head.length))
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    // Not all there, or not as it should be: what could hold a password is not kept.
    head.fill(0x2a, Math.min(cursor.at, head.length))
  }
}

/** A CONNECT as people read it: MQTT 3.1.1 §3.1, 5.0 §3.1. As much as there is goes into `shown`. */
export function readConnect(cursor: MqttCursor, shown: { [name: string]: FieldValue }): void {
  shown.protocol_name = cursor.string()
  const level = cursor.byte()
  const version = level & 0x7f
  const flags = cursor.byte()
  if (level > 0x7f) shown.bridge = true
  shown.clean_start = (flags & FLAG.CLEAN) !== 0
  shown.keep_alive = cursor.short()
  if (version === 5) shown.properties = readProperties(cursor)
  shown.client_id = cursor.string()
  if (flags & FLAG.WILL) {
    const properties = version === 5 ? readProperties(cursor) : undefined
    const topic = cursor.string()
    const payload = cursor.binary()
    shown.will = {
      topic,
      payload: utf8(payload) ?? base64(payload),
      qos: (flags >> 3) & 3,
      retain: (flags & FLAG.RETAIN) !== 0,
      ...(properties === undefined ? {} : { properties }),
    }
  }
  if (flags & FLAG.USER) shown.user = cursor.string()
  if (flags & FLAG.PASSWORD) shown.password = '(hidden)'
}
