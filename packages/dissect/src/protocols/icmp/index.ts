import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { IcmpConversation } from './parse.ts'
import { present, summarize } from './present.ts'

/** ICMP and ICMPv6. Nothing else is spoken where they are. */
export const icmp = {
  name: 'icmp',
  title: 'ICMP',
  transports: ['icmp'],
  ports: [],
  fields,
  probe: (_bytes, _start, _end, _side, transport) => (transport === 'icmp' ? 'yes' : 'no'),
  open: (connection) => new IcmpConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
