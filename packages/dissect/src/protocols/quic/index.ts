import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { QuicConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** QUIC handshakes. With keys, what the connection carries is dissected as `http3`. */
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
