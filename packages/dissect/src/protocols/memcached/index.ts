import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { MemcachedConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** memcached: text commands with the meta commands among them, and the binary protocol, over TCP and UDP. */
export const memcached = {
  name: 'memcached',
  title: 'memcached',
  transports: ['tcp', 'udp'],
  ports: [11211],
  fields,
  probe,
  open: (connection) => new MemcachedConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
