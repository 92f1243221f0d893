/** How far a long operation is, for a caller that wants to be informed while it waits. */
interface Progress {
  /** Of 100. */
  readonly percent: number
  readonly message: string
}

export type ProgressListener = (progress: Progress) => void
