import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { MongodbConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'

/** The MongoDB wire protocol: OP_MSG, the messages before it, and either compressed. */
export const mongodb = {
  name: 'mongodb',
  title: 'MongoDB',
  transports: ['tcp'],
  ports: [27017, 27018, 27019],
  fields,
  probe,
  open: (connection) => new MongodbConversation(connection),
  summarize,
  present,
  redact,
} as const satisfies Dissector
