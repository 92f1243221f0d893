import type { Dissector } from '../../contract/dissector.ts'
import { spokenFor } from '../spoken-for.ts'
import { present, summarize } from '../unrecognised.ts'
import { fields } from './fields.ts'

/** A UDP flow in which no protocol was recognised. */
export const udp = {
  ...spokenFor,
  name: 'udp',
  title: 'UDP',
  fields,
  summarize,
  present,
} as const satisfies Dissector
