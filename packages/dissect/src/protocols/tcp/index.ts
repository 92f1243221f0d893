import type { Dissector } from '../../contract/dissector.ts'
import { spokenFor } from '../spoken-for.ts'
import { present, summarize } from '../unrecognised.ts'
import { fields } from './fields.ts'

/** A TCP flow in which no protocol was recognised. */
export const tcp = {
  ...spokenFor,
  name: 'tcp',
  title: 'TCP',
  fields,
  summarize,
  present,
} as const satisfies Dissector
