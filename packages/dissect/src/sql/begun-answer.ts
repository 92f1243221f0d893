import { draftMessage, type Message } from '../message.ts'

/** A first part of an answer, which says nothing but that more will come. */
export function begunAnswer(key: number, start: number, end: number, fields: Message['fields']): Message {
  const message = draftMessage('response')
  message.key = key
  message.start = start
  message.end = end
  message.size = 0
  message.fields = fields
  message.more = true
  return message
}
