import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { datagrams } from './datagram.ts'
import { DnsConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** DNS over UDP and TCP, multicast DNS and LLMNR. */
export const dns = {
  name: 'dns',
  title: 'DNS',
  transports: ['udp', 'tcp'],
  ports: [53, 5353, 5355],
  probe,
  open: (connection) => new DnsConversation(connection),
  datagrams,
  summarize,
  ...shownBy('dns', shape, summarize),
} as const satisfies Dissector
