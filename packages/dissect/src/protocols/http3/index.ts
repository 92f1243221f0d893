import type { Dissector } from '../../contract/dissector.ts'
import { present, summarize } from '../http/present.ts'
import { spokenFor } from '../spoken-for.ts'
import { fields } from './fields.ts'
import { Http3Conversation } from './parse.ts'

/** HTTP/3 inside of a decrypted QUIC connection, which opens it. Its calls are those of `http`, `grpc` and `graphql`. */
export const http3 = {
  ...spokenFor,
  name: 'http3',
  title: 'HTTP/3',
  fields,
  open: (connection) => new Http3Conversation(connection),
  summarize,
  present,
} as const satisfies Dissector
