import type { ValueNode } from './typed-node.ts'

/** The fields that a list such as `namespaces` is made of; undefined for lists of the call itself. */
export function memberFields(list: ValueNode): readonly ValueNode[] | undefined {
  if (list.kind !== 'field') return undefined
  const { start, end, field } = list
  return field.members?.map((path) => ({
    kind: 'field',
    type: 'string',
    field: { name: path, type: 'string', path, doc: field.doc, example: field.example },
    start,
    end,
  }))
}
