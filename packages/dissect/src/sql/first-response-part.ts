import { draftMessage, type Message } from '../contract/message.ts'

/** An empty first part of a response: more parts follow. */
export function firstResponsePart(
  key: number,
  start: number,
  end: number,
  fields: Message['fields'],
): Message {
  const message = draftMessage('response')
  message.key = key
  message.start = start
  message.end = end
  message.size = 0
  message.fields = fields
  message.more = true
  return message
}
