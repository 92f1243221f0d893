import type { KflField } from '../client/hub.ts'
import { tokens } from './tokens.ts'

/** The field whose name is under the caret of a filter, or just before it. */
export function fieldAt<Field extends Pick<KflField, 'name'>>(
  filter: string,
  caret: number,
  fields: readonly Field[],
): Field | undefined {
  const word = tokens(filter).find(
    ({ kind, position, text }) => kind === 'name' && caret >= position && caret <= position + text.length,
  )
  return word && fields.find(({ name }) => name === word.text)
}
