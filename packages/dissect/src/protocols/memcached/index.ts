import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { MemcachedConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** memcached: text commands with the meta commands among them, and the binary protocol, over TCP and UDP. */
export const memcached = {
  name: 'memcached',
  title: 'memcached',
  transports: ['tcp', 'udp'],
  ports: [11211],
  probe,
  open: (connection) => new MemcachedConversation(connection),
  summarize,
  ...shownBy('memcached', shape, summarize),
} as const satisfies Dissector
