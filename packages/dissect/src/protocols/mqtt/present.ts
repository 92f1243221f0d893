import { Malformed } from '@tapdeck/wire'
import { definedValues } from '../../content/defined-values.ts'
import { textOrBase64 } from '../../content/text-or-base64.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { headerLength } from './frame.ts'
import { MqttCursor } from './mqtt-cursor.ts'
import { readPacket, type ShownPacket } from './packet.ts'
import { askedBy, TYPE, typeName } from './packet-type.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

const VERSIONS: Readonly<Record<number, string | undefined>> = { 3: '3.1', 4: '3.1.1', 5: '5.0' }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const asked = request?.head
  const answered = response?.head
  if (asked !== undefined && asked.length > 0) summary.method = typeName(asked[0] >> 4)
  else if (answered !== undefined && answered.length > 0) summary.method = typeName(askedBy(answered[0] >> 4))
  if (request !== undefined) summarizePath(request, summary)
  if (response !== undefined) judge(response, summary)
  else if (request?.kind === 'event') judge(request, summary)
  return summary
}

/** The topic, or the first of several. */
function summarizePath(request: Message, into: Draft): void {
  const { head, fields } = request
  if (head === undefined || head.length === 0) return
  if (typeof fields?.topic === 'string') {
    into.path = fields.topic
    return
  }
  const type = head[0] >> 4
  if (type === TYPE.PUBLISH) {
    try {
      const topic = new MqttCursor(head, Math.min(headerLength(head, 0, head.length), head.length)).string()
      if (topic !== '') into.path = topic
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
    }
  } else if (type === TYPE.SUBSCRIBE || type === TYPE.UNSUBSCRIBE) {
    const { topics } = readPacket(request)
    if (Array.isArray(topics) && topics.length > 0) into.path = topics.join(', ')
  }
}

function judge(message: Message, into: Draft): void {
  const type = (message.head?.[0] ?? 0) >> 4
  if (type === TYPE.PINGRESP || type === TYPE.PUBLISH || type === 0) return
  const { reason, reason_code, properties } = readPacket(message)
  if (typeof reason !== 'string' && typeof reason !== 'number') {
    // Before 5.0 an acknowledgement is a success; a DISCONNECT says nothing.
    if (message.kind === 'response') into.status = 'Success'
    return
  }
  into.status = reason
  const code = typeof reason_code === 'number' ? reason_code : 0
  const refused = code >= 0x80 || (type === TYPE.CONNACK && code !== 0)
  if (refused) into.failure = reasonString(properties) ?? String(reason)
}

function reasonString(properties: FieldValue | undefined): string | undefined {
  if (typeof properties !== 'object' || properties === null || !('reason_string' in properties))
    return undefined
  return typeof properties.reason_string === 'string' ? properties.reason_string : undefined
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status } = summarize(exchange)
  const asked = request === undefined ? undefined : readPacket(request)
  const answered = response === undefined ? undefined : readPacket(response)
  const version = request?.fields?.version ?? response?.fields?.version
  const properties = asked?.properties ?? answered?.properties
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path }, asked) }),
    ...(response === undefined ? {} : { response: half(response, { status }, answered) }),
    own: definedValues({
      version: typeof version === 'number' ? (VERSIONS[version] ?? String(version)) : undefined,
      packet: method,
      topic: asked?.topic,
      topics: asked?.topics ?? (asked?.topic === undefined ? undefined : [asked.topic]),
      qos: asked?.qos,
      retain: asked?.retain,
      dup: asked?.dup,
      packet_id: asked?.packet_id ?? answered?.packet_id,
      client_id: asked?.client_id,
      user: asked?.user,
      keep_alive: asked?.keep_alive,
      clean_start: asked?.clean_start,
      session_present: answered?.session_present,
      will: asked?.will,
      reason: answered?.reason ?? asked?.reason,
      reason_code: answered?.reason_code ?? asked?.reason_code,
      reasons: answered?.reasons,
      properties,
      content_type: propertyOf(properties, 'content_type'),
      payload_size:
        asked?.packet === 'PUBLISH' ? (request?.bodySize ?? request?.body?.length ?? 0) : undefined,
      request: request !== undefined,
      response: response !== undefined,
      request_length: request?.size,
      response_length: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function half(
  message: Message,
  values: Readonly<Record<string, unknown>>,
  shown: ShownPacket | undefined,
): PresentedMessage {
  return definedValues({
    ...values,
    ...shown,
    ...textOrBase64(message.body, message.truncated),
    body_size: message.bodySize ?? message.body?.length,
    truncated: message.truncated,
  })
}

function propertyOf(properties: FieldValue | undefined, name: string): unknown {
  return typeof properties === 'object' && properties !== null ? Reflect.get(properties, name) : undefined
}
