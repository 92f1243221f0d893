import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { MongodbConversation } from './parse.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** The MongoDB wire protocol: OP_MSG, the messages before it, and either compressed. */
export const mongodb = {
  name: 'mongodb',
  title: 'MongoDB',
  transports: ['tcp'],
  ports: [27017, 27018, 27019],
  probe,
  open: (connection) => new MongodbConversation(connection),
  summarize,
  ...shownBy('mongodb', shape, summarize),
  redact,
} as const satisfies Dissector
