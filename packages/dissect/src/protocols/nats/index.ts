import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { NatsConversation } from './parse.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** The NATS client protocol, and what servers say to each other over routes and leaf nodes. */
export const nats = {
  name: 'nats',
  title: 'NATS',
  transports: ['tcp'],
  ports: [4222, 6222, 7422],
  probe,
  open: (connection) => new NatsConversation(connection),
  summarize,
  ...shownBy('nats', shape, summarize),
  redact,
} as const satisfies Dissector
