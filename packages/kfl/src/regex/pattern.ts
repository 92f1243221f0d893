import type { CharSet } from './char-set.ts'

export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'boundary' | 'no-boundary'

/** A parsed regular expression. */
export type Pattern =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'either'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly least: number; readonly most: number }
