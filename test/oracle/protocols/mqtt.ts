import type { Mapping } from '../mapping.ts'
import type { TheirMessage } from '../message.ts'
import { findAll, firstText, type ShownPacket } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { filled, own } from '../values.ts'

const PACKETS = [
  '',
  'CONNECT',
  'CONNACK',
  'PUBLISH',
  'PUBACK',
  'PUBREC',
  'PUBREL',
  'PUBCOMP',
  'SUBSCRIBE',
  'SUBACK',
  'UNSUBSCRIBE',
  'UNSUBACK',
  'PINGREQ',
  'PINGRESP',
  'DISCONNECT',
  'AUTH',
]
const VERSIONS: Readonly<Record<string, string>> = { '3': '3.1', '4': '3.1.1', '5': '5.0' }

export const mqtt: Mapping = {
  protocol: 'mqtt',
  dissector: 'mqtt',
  read: conversations,
  fields: {
    packet: {
      on: 'request',
      theirs: (nodes) => PACKETS[Number(firstText(nodes, 'mqtt.msgtype'))],
      ours: 'mqtt.packet',
    },
    version: {
      on: 'request',
      theirs: (nodes) => VERSIONS[firstText(nodes, 'mqtt.ver') ?? ''],
      ours: (message) => (message.call.method === 'CONNECT' ? String(own(message, 'version')) : undefined),
    },
    client_id: {
      on: 'request',
      theirs: filled('mqtt.clientid'),
      ours: (message) =>
        message.call.method === 'CONNECT'
          ? (message.call.request?.client_id as string) || undefined
          : undefined,
    },
    user: { on: 'request', theirs: 'mqtt.username', ours: 'request.user' },
    keep_alive: { on: 'request', theirs: 'mqtt.kalive', ours: 'mqtt.keep_alive' },
    packet_id: { on: 'request', theirs: 'mqtt.msgid', ours: 'mqtt.packet_id' },
    topics: {
      on: 'request',
      theirs: (nodes) => {
        const found = findAll(nodes, 'mqtt.topic')
        return found.length === 0 ? undefined : found.map(({ value }) => Buffer.from(value, 'hex').toString())
      },
      ours: 'mqtt.topics',
    },
    qos: { on: 'request', theirs: 'mqtt.qos', ours: 'mqtt.qos' },
    retain: { on: 'request', theirs: (nodes) => yes(firstText(nodes, 'mqtt.retain')), ours: 'mqtt.retain' },
    duplicate: { on: 'request', theirs: (nodes) => yes(firstText(nodes, 'mqtt.dupflag')), ours: 'mqtt.dup' },
    length: { on: 'request', theirs: length, ours: 'mqtt.request_length' },
    answer: {
      on: 'response',
      theirs: (nodes) => PACKETS[Number(firstText(nodes, 'mqtt.msgtype'))],
      ours: 'response.packet',
    },
    answer_id: { on: 'response', theirs: 'mqtt.msgid', ours: 'response.packet_id' },
    session_present: {
      on: 'response',
      theirs: (nodes) => yes(firstText(nodes, 'mqtt.conack.flags.sp')),
      ours: 'response.session_present',
    },
  },
}

/** The four messages of QoS 2 are one call to us: PUBREC begins its answer, PUBCOMP ends it. */
function conversations(packets: readonly ShownPacket[]): TheirMessage[] {
  const messages: TheirMessage[] = []
  const received = new Map<string, number>()
  for (const message of readLayers(packets, 'mqtt')) {
    const packet = PACKETS[Number(firstText(message.nodes, 'mqtt.msgtype'))]
    const place = `${message.flow}|${message.from}|${firstText(message.nodes, 'mqtt.msgid')}`
    const at = received.get(place)
    if (packet === 'PUBREL') continue
    if (packet === 'PUBCOMP' && at !== undefined) {
      messages[at] = { ...messages[at], time: message.time, nodes: [...messages[at].nodes, ...message.nodes] }
      received.delete(place)
      continue
    }
    const index = messages.push(message) - 1
    if (packet === 'PUBREC') received.set(place, index)
  }
  return messages
}

function yes(flag: string | undefined): string | undefined {
  return flag === undefined ? undefined : String(flag === '1')
}

function length(nodes: Parameters<typeof firstText>[0]): string | undefined {
  const rest = firstText(nodes, 'mqtt.len')
  if (rest === undefined) return undefined
  const size = Number(rest)
  return String(size + 1 + (size < 128 ? 1 : size < 16384 ? 2 : size < 2097152 ? 3 : 4))
}
