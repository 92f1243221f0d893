import type { Sheaf } from './sheaf.ts'

/** What a thread of `tapdeck dissect` hands over, before its last word, which is `DissectCounts`. */
export type ThreadResult =
  | { readonly kind: 'sheaf'; readonly sheaf: Sheaf }
  | { readonly kind: 'fault'; readonly protocol: string; readonly error: string }
