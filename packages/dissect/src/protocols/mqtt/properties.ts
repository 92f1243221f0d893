import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../contract/message.ts'
import { base64, utf8 } from '../../text/text.ts'
import type { MqttCursor } from './mqtt-cursor.ts'

type Kind = 'byte' | 'short' | 'long' | 'varint' | 'string' | 'binary' | 'pair'

const TOPIC_ALIAS = 35

/** MQTT 5.0 §2.2.2.2. */
const PROPERTIES: Readonly<Record<number, readonly [name: string, kind: Kind] | undefined>> = {
  1: ['payload_format_indicator', 'byte'],
  2: ['message_expiry_interval', 'long'],
  3: ['content_type', 'string'],
  8: ['response_topic', 'string'],
  9: ['correlation_data', 'binary'],
  11: ['subscription_identifier', 'varint'],
  17: ['session_expiry_interval', 'long'],
  18: ['assigned_client_identifier', 'string'],
  19: ['server_keep_alive', 'short'],
  21: ['authentication_method', 'string'],
  22: ['authentication_data', 'binary'],
  23: ['request_problem_information', 'byte'],
  24: ['will_delay_interval', 'long'],
  25: ['request_response_information', 'byte'],
  26: ['response_information', 'string'],
  28: ['server_reference', 'string'],
  31: ['reason_string', 'string'],
  33: ['receive_maximum', 'short'],
  34: ['topic_alias_maximum', 'short'],
  [TOPIC_ALIAS]: ['topic_alias', 'short'],
  36: ['maximum_qos', 'byte'],
  37: ['retain_available', 'byte'],
  38: ['user_properties', 'pair'],
  39: ['maximum_packet_size', 'long'],
  40: ['wildcard_subscription_available', 'byte'],
  41: ['subscription_identifier_available', 'byte'],
  42: ['shared_subscription_available', 'byte'],
}
const SECRET = 22

export interface Properties {
  readonly [name: string]: FieldValue
}

/** All properties by name; those of users under `user_properties`, what proves an identity hidden. */
export function readProperties(cursor: MqttCursor): Properties {
  const values: { [name: string]: FieldValue } = {}
  const own: { [name: string]: FieldValue } = {}
  const end = endOf(cursor)
  while (cursor.at < end) {
    const id = cursor.varint()
    const known = PROPERTIES[id]
    if (known === undefined) throw new Malformed('unknown property')
    const [name, kind] = known
    if (kind === 'pair') add(own, cursor.string(), cursor.string())
    else add(values, name, id === SECRET ? hidden(cursor) : readOne(cursor, kind))
  }
  return Object.keys(own).length === 0 ? values : { ...values, user_properties: own }
}

/** Walks over them; the topic alias, if there is one. What proves an identity is blanked in a copy. */
export function skipProperties(cursor: MqttCursor, hide = false): number {
  const end = endOf(cursor)
  let alias = 0
  while (cursor.at < end) {
    const id = cursor.varint()
    const kind = PROPERTIES[id]?.[1]
    if (kind === undefined) throw new Malformed('unknown property')
    if (id === TOPIC_ALIAS) alias = cursor.short()
    else if (kind === 'pair') {
      cursor.skip(cursor.short())
      cursor.skip(cursor.short())
    } else if (kind === 'string' || kind === 'binary') {
      const length = cursor.short()
      cursor.skip(length)
      if (hide && id === SECRET) cursor.bytes.fill(0x2a, cursor.at - length, cursor.at)
    } else cursor[kind]()
  }
  if (cursor.at > end) throw new Malformed('property beyond its list')
  return alias
}

function endOf(cursor: MqttCursor): number {
  const length = cursor.varint()
  if (length > cursor.left) throw new Malformed('cut short')
  return cursor.at + length
}

function readOne(cursor: MqttCursor, kind: Exclude<Kind, 'pair'>): FieldValue {
  if (kind !== 'binary') return cursor[kind]()
  const bytes = cursor.binary()
  return utf8(bytes) ?? base64(bytes)
}

function hidden(cursor: MqttCursor): string {
  cursor.skip(cursor.short())
  return '(hidden)'
}

/** The same name may come again: then it is a list. */
function add(into: { [name: string]: FieldValue }, name: string, value: FieldValue): void {
  const before = Object.hasOwn(into, name) ? into[name] : undefined
  const next = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  Object.defineProperty(into, name, { value: next, enumerable: true, configurable: true, writable: true })
}
