import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { headerLength } from './frame.ts'
import { MqttCursor } from './mqtt-cursor.ts'
import { readPacket } from './packet.ts'
import { askedBy, TYPE, typeName } from './packet-type.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

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
