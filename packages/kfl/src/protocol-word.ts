import { type CheckContext, fail } from './check-context.ts'
import { constant, textOf } from './constant.ts'
import { PROTOCOL_ALIASES } from './flag-fields.ts'
import { nearest } from './nearest.ts'
import type { ValueNode } from './typed-node.ts'

/** `proto == "WS"` is `proto == "websocket"`; an unknown protocol is an error, not an empty answer. */
export function normalProtocol(context: CheckContext, left: ValueNode, right: ValueNode): ValueNode {
  const text = textOf(right)
  if (text === undefined || !comparesProtocol(left)) return right
  const word = text.toLowerCase()
  const known = PROTOCOL_ALIASES.get(word) ?? word
  if (context.catalog.protocols.includes(known)) return constant(known, 'string', right)
  const suggestion = nearest(word, [...context.catalog.protocols, ...PROTOCOL_ALIASES.keys()])
  const hint = suggestion ? `; did you mean "${suggestion}"?` : '.'
  throw fail(right, `There is no protocol ${JSON.stringify(text)}${hint}`, {
    expected: context.catalog.protocols,
    ...(suggestion ? { suggestion: JSON.stringify(suggestion) } : {}),
  })
}

export function comparesProtocol(node: ValueNode): boolean {
  return node.kind === 'field' && node.field.path === 'proto' && node.type === 'string'
}
