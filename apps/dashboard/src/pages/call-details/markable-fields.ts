import type { CallDetails } from '../../client/call-details.ts'
import { factsOf, factText } from './facts.ts'

export interface MarkableField {
  readonly name: string
  readonly text: string
}

const MAX_FIELDS = 100
const MAX_CHARS = 2000

/** Texts of a call that can be looked for in its packets. Numbers and flags are in too many places. */
export function markableFields(call: CallDetails): readonly MarkableField[] {
  const facts = [
    ...factsOf(call.request, ['request'], ['body_encoding', 'url', 'http_version']),
    ...factsOf(call.response, ['response'], ['body_encoding', 'http_version']),
  ]
  return facts
    .filter(({ value }) => typeof value === 'string')
    .map(({ path, value }) => ({ name: path.join('.'), text: factText(value) }))
    .filter(({ text }) => text.length >= 2 && text.length <= MAX_CHARS)
    .slice(0, MAX_FIELDS)
}
