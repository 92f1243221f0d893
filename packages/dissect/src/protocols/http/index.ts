import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { HttpConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { write } from './write.ts'

/** HTTP/1.0 and HTTP/1.1. HTTP/2 speaks for it: its messages carry this protocol's name. */
export const http = {
  name: 'http',
  title: 'HTTP',
  transports: ['tcp'],
  ports: [80, 8080, 8000, 8888, 3000, 5000, 9090],
  fields,
  probe,
  open: (connection) => new HttpConversation(connection),
  summarize,
  present,
  write,
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
