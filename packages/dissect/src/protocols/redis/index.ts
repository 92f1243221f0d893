import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { RedisConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'
import { write } from './write.ts'

/** Redis and what speaks like it (Valkey, KeyDB, Dragonfly): RESP2, RESP3, inline commands, replication. */
export const redis = {
  name: 'redis',
  title: 'Redis',
  transports: ['tcp'],
  ports: [6379, 6380, 26379],
  fields,
  probe,
  open: (connection) => new RedisConversation(connection),
  summarize,
  present,
  write,
  redact,
} as const satisfies Dissector
