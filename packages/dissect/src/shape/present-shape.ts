import { definedValues } from '../content/defined-values.ts'
import type { Summary } from '../contract/call.ts'
import type { Exchange, Presentation } from '../contract/dissector.ts'
import type { Member, Members, Shape, Source, Values } from './shape.ts'

/** The full call by its shape. */
export function presentShape<View>(shape: Shape<View>, exchange: Exchange, summary: Summary): Presentation {
  const view = shape.read(exchange, summary)
  if (view === undefined) return {}
  return {
    ...(exchange.request === undefined ? {} : { request: shownValues(shape.request, view) }),
    ...(exchange.response === undefined ? {} : { response: shownValues(shape.response, view) }),
    own: shownValues(shape.own, view),
  }
}

function shownValues<View>(members: Members<View> | Values<View>, view: View): Record<string, unknown> {
  if (typeof members === 'function') return definedValues(members(view))
  const shown: Record<string, unknown> = {}
  for (const key in members) {
    const value = sourceOf(members[key])(view)
    if (value !== undefined) shown[key] = value
  }
  return shown
}

export function sourceOf<View>(member: Member<View>): Source<View> {
  return typeof member === 'function' ? member : member.from
}
