import type { Field, Fields } from '../contract/dissector.ts'
import type { Description, Member, Members, Shape, Values } from './shape.ts'

/** The fields of a protocol: all values of its shape that have a description. */
export function shapeFields<View>(protocol: string, { own, request, response }: Shape<View>): Fields {
  return Object.fromEntries([
    ...fieldsBelow(protocol, protocol, own),
    ...fieldsBelow(protocol, 'request', request),
    ...fieldsBelow(protocol, 'response', response),
  ])
}

function fieldsBelow<View>(
  protocol: string,
  place: string,
  members: Members<View> | Values<View>,
): [string, Field][] {
  if (typeof members === 'function') return []
  return Object.entries(members).flatMap(([key, member]) => {
    const path = `${place}.${key}`
    const name = `${protocol}_${key}`
    return descriptionsOf(member).map(([part, description]): [string, Field] =>
      part === undefined
        ? named(name, path, description)
        : named(`${name}_${part}`, `${path}.${part}`, description),
    )
  })
}

function descriptionsOf<View>(member: Member<View>): (readonly [string | undefined, Description])[] {
  if (typeof member === 'function') return []
  return [...('type' in member ? [[undefined, member] as const] : []), ...Object.entries(member.parts ?? {})]
}

function named(
  usual: string,
  path: string,
  { name = usual, type, doc, example }: Description,
): [string, Field] {
  return [name, { type, path, doc, example }]
}
