import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { IdentConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** The Identification Protocol (RFC 1413): the smallest complete example of a dissector. See docs/adding-a-protocol.md. */
export const ident = {
  name: 'ident',
  title: 'Ident',
  transports: ['tcp'],
  ports: [113],
  probe,
  open: (connection) => new IdentConversation(connection),
  summarize,
  ...shownBy('ident', shape, summarize),
} as const satisfies Dissector
