import type { Dissector } from '../../contract/dissector.ts'
import { datagrams } from './datagram.ts'
import { fields } from './fields.ts'
import { DnsConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { write } from './write.ts'

/** DNS over UDP and TCP, multicast DNS and LLMNR. */
export const dns = {
  name: 'dns',
  title: 'DNS',
  transports: ['udp', 'tcp'],
  ports: [53, 5353, 5355],
  fields,
  probe,
  open: (connection) => new DnsConversation(connection),
  datagrams,
  summarize,
  present,
  write,
} as const satisfies Dissector
