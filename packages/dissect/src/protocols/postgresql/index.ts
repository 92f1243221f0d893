import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { PostgresqlConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { write } from './write.ts'

/** PostgreSQL, protocol version 3: simple and extended queries, COPY, notifications. */
export const postgresql = {
  name: 'postgresql',
  title: 'PostgreSQL',
  transports: ['tcp'],
  ports: [5432],
  fields,
  probe,
  open: (connection) => new PostgresqlConversation(connection),
  summarize,
  present,
  write,
  redact: { statements: 'standard' },
} as const satisfies Dissector
