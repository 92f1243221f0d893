import type { Dissector } from '../../contract/dissector.ts'
import { spokenFor } from '../spoken-for.ts'
import { fields } from './fields.ts'
import { present, summarize } from './present.ts'

/** GraphQL over HTTP/1 and HTTP/2, which speak for it. */
export const graphql = {
  ...spokenFor,
  name: 'graphql',
  title: 'GraphQL',
  fields,
  summarize,
  present,
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
