import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { QuicConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** QUIC handshakes, as far as they are readable without keys. */
export const quic = {
  name: 'quic',
  title: 'QUIC',
  transports: ['udp'],
  ports: [443, 8443],
  fields,
  probe,
  open: (connection) => new QuicConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
