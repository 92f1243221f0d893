import type { CallBatch } from './call-batch.ts'

/** What a thread of `tapdeck dissect` hands over, before its last word, which is `DissectCounts`. */
export type ThreadResult =
  | { readonly kind: 'batch'; readonly batch: CallBatch }
  | { readonly kind: 'fault'; readonly protocol: string; readonly error: string }
