import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { IdentConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** The Identification Protocol (RFC 1413): the smallest complete example of a dissector. See docs/adding-a-protocol.md. */
export const ident = {
  name: 'ident',
  title: 'Ident',
  transports: ['tcp'],
  ports: [113],
  fields,
  probe,
  open: (connection) => new IdentConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
