import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { RadiusConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** RADIUS: authentication, accounting and dynamic authorization over UDP. */
export const radius = {
  name: 'radius',
  title: 'RADIUS',
  transports: ['udp'],
  ports: [1812, 1813, 1645, 1646, 3799],
  probe,
  open: (connection) => new RadiusConversation(connection),
  summarize,
  ...shownBy('radius', shape, summarize),
} as const satisfies Dissector
