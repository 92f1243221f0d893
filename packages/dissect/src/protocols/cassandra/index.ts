import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { CassandraConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** The native protocol of Apache Cassandra and its kin, versions 3 to 5, which carries CQL. */
export const cassandra = {
  name: 'cassandra',
  title: 'Cassandra',
  transports: ['tcp'],
  ports: [9042],
  fields,
  probe,
  open: (connection) => new CassandraConversation(connection),
  summarize,
  present,
  redact: { statements: 'standard' },
} as const satisfies Dissector
