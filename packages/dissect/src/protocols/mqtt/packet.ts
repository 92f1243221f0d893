import { Malformed } from '@tapdeck/wire'
import type { FieldValue, Message } from '../../contract/message.ts'
import { readConnect } from './connect.ts'
import { headerLength } from './frame.ts'
import { MqttCursor } from './mqtt-cursor.ts'
import { TYPE, typeName } from './packet-type.ts'
import { readProperties } from './properties.ts'
import { grantName, reasonName, returnName } from './reason-code.ts'

export interface ShownPacket {
  readonly [name: string]: FieldValue
}

/** All that a packet says; what cannot be read is left out. */
export function readPacket({ head, fields }: Message): ShownPacket {
  if (head === undefined || head.length === 0) return {}
  const type = head[0] >> 4
  const shown: { [name: string]: FieldValue } = { packet: typeName(type) }
  const version = typeof fields?.version === 'number' ? fields.version : 0
  const cursor = new MqttCursor(head, Math.min(headerLength(head, 0, head.length), head.length))
  try {
    readBody(type, head[0], cursor, version, shown)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  if (typeof fields?.topic === 'string') shown.topic = fields.topic
  return shown
}

function readBody(
  type: number,
  first: number,
  cursor: MqttCursor,
  version: number,
  shown: { [name: string]: FieldValue },
): void {
  switch (type) {
    case TYPE.CONNECT:
      readConnect(cursor, shown)
      return
    case TYPE.CONNACK:
      shown.session_present = (cursor.byte() & 1) === 1
      readConnack(cursor, version, shown)
      return
    case TYPE.PUBLISH:
      readPublish(first, cursor, version, shown)
      return
    case TYPE.SUBSCRIBE:
      shown.packet_id = cursor.short()
      if (version === 5) addProperties(cursor, shown)
      readFilters(cursor, true, version, shown)
      return
    case TYPE.UNSUBSCRIBE:
      shown.packet_id = cursor.short()
      if (version === 5) addProperties(cursor, shown)
      readFilters(cursor, false, version, shown)
      return
    case TYPE.SUBACK:
    case TYPE.UNSUBACK:
      shown.packet_id = cursor.short()
      if (version === 5) addProperties(cursor, shown)
      readGrants(type, cursor, version, shown)
      return
    case TYPE.PUBACK:
    case TYPE.PUBREC:
    case TYPE.PUBREL:
    case TYPE.PUBCOMP:
      shown.packet_id = cursor.short()
      readReason(cursor, shown)
      return
    case TYPE.DISCONNECT:
    case TYPE.AUTH:
      readReason(cursor, shown)
      return
    default:
      return
  }
}

/** A server of 5.0 refuses clients of other versions in their own way: MQTT 5.0 §3.1.2.2. */
function readConnack(cursor: MqttCursor, version: number, shown: { [name: string]: FieldValue }): void {
  const code = cursor.byte()
  const modern = code >= 0x80 || (code === 0 && (version === 5 || cursor.left > 0))
  shown.reason_code = code
  shown.reason = modern ? reasonName(code) : returnName(code)
  if (cursor.left > 0) addProperties(cursor, shown)
}

/** Where it is left out it is a success: MQTT 5.0 §3.4.2.1. */
function readReason(cursor: MqttCursor, shown: { [name: string]: FieldValue }): void {
  if (cursor.left === 0) return
  const code = cursor.byte()
  shown.reason_code = code
  shown.reason = reasonName(code)
  if (cursor.left > 0) addProperties(cursor, shown)
}

function readPublish(
  first: number,
  cursor: MqttCursor,
  version: number,
  shown: { [name: string]: FieldValue },
): void {
  const qos = (first >> 1) & 3
  shown.qos = qos
  shown.retain = (first & 1) === 1
  shown.dup = (first & 8) === 8
  const topic = cursor.string()
  if (topic !== '') shown.topic = topic
  if (qos > 0) shown.packet_id = cursor.short()
  if (version === 5) addProperties(cursor, shown)
}

function readFilters(
  cursor: MqttCursor,
  options: boolean,
  version: number,
  shown: { [name: string]: FieldValue },
): void {
  const topics: string[] = []
  const subscriptions: FieldValue[] = []
  shown.topics = topics
  if (options) shown.subscriptions = subscriptions
  while (cursor.left > 0) {
    const topic = cursor.string()
    topics.push(topic)
    if (!options) continue
    const flags = cursor.byte()
    subscriptions.push({
      ...{ topic, qos: flags & 3 },
      ...(version === 5
        ? {
            no_local: (flags & 4) !== 0,
            retain_as_published: (flags & 8) !== 0,
            retain_handling: (flags >> 4) & 3,
          }
        : {}),
    })
  }
}

function readGrants(
  type: number,
  cursor: MqttCursor,
  version: number,
  shown: { [name: string]: FieldValue },
): void {
  const codes: number[] = []
  while (cursor.left > 0) codes.push(cursor.byte())
  if (codes.length === 0) return
  const names = codes.map((code) => (type === TYPE.SUBACK ? grantName(code, version) : reasonName(code)))
  const failed = codes.findIndex((code) => code >= 0x80)
  shown.reason_codes = codes
  shown.reasons = names
  shown.reason_code = codes[Math.max(0, failed)]
  shown.reason = names[Math.max(0, failed)]
}

function addProperties(cursor: MqttCursor, shown: { [name: string]: FieldValue }): void {
  const properties = readProperties(cursor)
  if (Object.keys(properties).length > 0) shown.properties = properties
}
