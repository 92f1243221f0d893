import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { PostgresqlConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** PostgreSQL, protocol version 3: simple and extended queries, COPY, notifications. */
export const postgresql = {
  name: 'postgresql',
  title: 'PostgreSQL',
  transports: ['tcp'],
  ports: [5432],
  probe,
  open: (connection) => new PostgresqlConversation(connection),
  summarize,
  ...shownBy('postgresql', shape, summarize),
  redact: { statements: 'standard' },
} as const satisfies Dissector
