import { type CheckContext, fail } from './check-context.ts'
import type { SyntaxNode } from './syntax-node.ts'
import type { ValueNode } from './typed-node.ts'

const COMPARED_AS_TEXT: ReadonlySet<ValueNode['type']> = new Set(['string', 'status', 'json'])

/** `method == GET` was meant as text: throws where a word beside a text is no name, or only that of a protocol. */
export function refuseBareWord(context: CheckContext, word: SyntaxNode, beside: ValueNode): void {
  if (word.kind !== 'name' || beside.kind === 'constant' || context.variables.has(word.name)) return
  if (!COMPARED_AS_TEXT.has(beside.type)) return
  const known = context.catalog.find(word.name)
  if (known && known.means === undefined) return
  const suggestion = JSON.stringify(word.name)
  throw fail(word, `Text must be in quotes; write ${suggestion}.`, { suggestion })
}
