import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { AmqpConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** AMQP 0-9-1 with RabbitMQ's extensions, and AMQP 1.0. */
export const amqp = {
  name: 'amqp',
  title: 'AMQP',
  transports: ['tcp'],
  ports: [5672],
  fields,
  probe,
  open: (connection) => new AmqpConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
