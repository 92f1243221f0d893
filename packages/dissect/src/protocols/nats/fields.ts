import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  nats_operation: {
    type: 'string',
    path: 'nats.operation',
    doc: 'What was said: PUB, SUB, MSG, PING …',
    example: 'nats_operation == "PUB"',
  },
  nats_subject: {
    type: 'string',
    path: 'nats.subject',
    doc: 'Subject of a message or a subscription',
    example: 'nats_subject.startsWith("orders.")',
  },
  nats_reply_to: {
    type: 'string',
    path: 'nats.reply_to',
    doc: 'Subject on which an answer is awaited',
    example: 'nats_reply_to.startsWith("_INBOX.")',
  },
  nats_sid: {
    type: 'string',
    path: 'nats.sid',
    doc: 'Number of the subscription on its connection',
    example: 'nats_sid == "1"',
  },
  nats_queue_group: {
    type: 'string',
    path: 'nats.queue_group',
    doc: 'Group that shares the messages of a subscription',
    example: 'nats_queue_group == "workers"',
  },
  nats_payload_size: {
    type: 'integer',
    path: 'nats.payload_size',
    doc: 'Bytes of the message without its headers',
    example: 'nats_payload_size > 100000',
  },
  nats_headers: {
    type: 'map',
    path: 'request.headers',
    doc: 'Headers of a message, by lower-case name',
    example: '"nats-msg-id" in nats_headers',
  },
  nats_client: {
    type: 'map',
    path: 'nats.client',
    doc: 'How a client introduced itself: name, lang, version, user; credentials are hidden',
    example: 'nats_client["name"] == "shop"',
  },
  nats_error: {
    type: 'string',
    path: 'nats.error',
    doc: 'Text of an error',
    example: 'nats_error.contains("Permissions Violation")',
  },
} as const satisfies Fields
