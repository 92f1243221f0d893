import type { Catalog } from '@tapdeck/kfl'
import { questions } from '@tapdeck/questions'
import type { Visibility } from '../access/visibility.ts'
import type { CallSource } from './call-source.ts'

/** A source that answers only out of what a caller may see, whatever it is asked. */
export function scopedSource(
  source: CallSource,
  scope: Visibility,
  catalog: Catalog,
  now: () => number,
): CallSource {
  return {
    node: source.node,
    isShared: source.isShared ?? false,
    ask: (question, input, options) =>
      questions[question].narrow(input, {
        ...scope,
        ask: (inner, asked) => source.ask(inner, asked, options),
        filter: (kfl, alsoReturned) => scope.narrow(kfl, catalog, now(), alsoReturned),
      }),
  }
}
