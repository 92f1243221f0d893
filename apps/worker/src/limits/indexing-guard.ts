/** Decides whether indexing may run, so that recording survives a limit of the container. */
export interface IndexingGuard {
  /** The reason code of the gap in the index. */
  readonly code: string
  /** Why indexing is paused; undefined: it may run. */
  readonly reason: string | undefined
  /** Looks at what is in use now, and returns whether indexing may run. `now`: milliseconds of a steady clock. */
  mayIndex(now: number): boolean
}
