import type { Dissector } from '../../contract/dissector.ts'
import { spokenFor } from '../spoken-for.ts'
import { present, summarize } from '../unrecognised.ts'
import { fields } from './fields.ts'

/** A SCTP flow in which no protocol was recognised. */
export const sctp = {
  ...spokenFor,
  name: 'sctp',
  title: 'SCTP',
  fields,
  summarize,
  present,
} as const satisfies Dissector
