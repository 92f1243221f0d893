import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { RedisConversation } from './parse.ts'
import { probe } from './probe.ts'
import { redact } from './redact.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** Redis and what speaks like it (Valkey, KeyDB, Dragonfly): RESP2, RESP3, inline commands, replication. */
export const redis = {
  name: 'redis',
  title: 'Redis',
  transports: ['tcp'],
  ports: [6379, 6380, 26379],
  probe,
  open: (connection) => new RedisConversation(connection),
  summarize,
  ...shownBy('redis', shape, summarize),
  redact,
} as const satisfies Dissector
