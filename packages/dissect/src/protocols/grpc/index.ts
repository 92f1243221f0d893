import type { Dissector } from '../../contract/dissector.ts'
import { spokenFor } from '../spoken-for.ts'
import { fields } from './fields.ts'
import { present, summarize } from './present.ts'

/** gRPC over HTTP/2, which speaks for it, and gRPC-Web over HTTP/1 and HTTP/2. */
export const grpc = {
  ...spokenFor,
  name: 'grpc',
  title: 'gRPC',
  fields,
  summarize,
  present,
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
