import type { Dissector } from '../../contract/dissector.ts'
import { present, summarize } from '../http/present.ts'
import { fields } from './fields.ts'
import { Http2Conversation } from './parse.ts'
import { probe } from './probe.ts'

/** HTTP/2 without TLS, or decrypted. Its calls are those of `http`, `grpc` and `graphql`. */
export const http2 = {
  name: 'http2',
  title: 'HTTP/2',
  transports: ['tcp'],
  ports: [50051, 9000],
  fields,
  probe,
  open: (connection) => new Http2Conversation(connection),
  summarize,
  present,
} as const satisfies Dissector
