import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { RadiusConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** RADIUS: authentication, accounting and dynamic authorization over UDP. */
export const radius = {
  name: 'radius',
  title: 'RADIUS',
  transports: ['udp'],
  ports: [1812, 1813, 1645, 1646, 3799],
  fields,
  probe,
  open: (connection) => new RadiusConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
