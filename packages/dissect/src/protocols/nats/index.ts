import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { NatsConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'

/** The NATS client protocol, and what servers say to each other over routes and leaf nodes. */
export const nats = {
  name: 'nats',
  title: 'NATS',
  transports: ['tcp'],
  ports: [4222, 6222, 7422],
  fields,
  probe,
  open: (connection) => new NatsConversation(connection),
  summarize,
  present,
  redact,
} as const satisfies Dissector
