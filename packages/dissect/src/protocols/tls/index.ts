import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { TlsConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** TLS 1.0 to 1.3 and SSL 3.0: handshakes. What they protect is not read. */
export const tls = {
  name: 'tls',
  title: 'TLS',
  transports: ['tcp'],
  ports: [443, 6443, 8443, 9443, 10250],
  fields,
  probe,
  open: (connection) => new TlsConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
