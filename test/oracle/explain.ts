import type { Explained } from './explained.ts'

/** Where one of us says nothing. */
export const NONE = undefined

type Case = readonly [field: string, ours: string | undefined, theirs: string | undefined, times?: number]

/** Differences in one capture that have the same reason. */
export function explain(
  protocol: string,
  capture: string,
  reason: string,
  ...cases: readonly Case[]
): Explained[] {
  return cases.map(([field, ours, theirs, times]) => ({
    ...{ protocol, capture, field, reason },
    ...(ours === undefined ? {} : { ours }),
    ...(theirs === undefined ? {} : { theirs }),
    ...(times === undefined ? {} : { times }),
  }))
}
