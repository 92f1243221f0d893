export interface NoCallsFacts {
  readonly db: string | undefined
  readonly kfl: string
  readonly start: number | undefined
  /** Whether indexing is on, if known. */
  readonly enabled: boolean | undefined
}

export type NoCallsReason =
  | 'filter'
  | 'paused'
  | 'part of a dissection'
  | 'dissection'
  | 'window'
  | 'no traffic'

/** Why a view of indexed calls is empty: what the reader can change first comes first. */
export function noCallsReason({ db, kfl, start, enabled }: NoCallsFacts): NoCallsReason {
  if (kfl !== '') return 'filter'
  if (db !== undefined) return start === undefined ? 'dissection' : 'part of a dissection'
  if (enabled === false) return 'paused'
  return start === undefined ? 'no traffic' : 'window'
}
