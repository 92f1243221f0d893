/** What a script may say: a line for the log, a number to count, or JSON to send by the agent's webhook. */
export type Emitted =
  | { readonly log: string }
  | { readonly metric: string; readonly value: number }
  | { readonly webhook: string }

/** What the thread of a script receives: calls as JSON, and how many came before them that it never sees. */
export interface ToScript {
  readonly calls: string
  readonly skipped: number
}

export type FromScript =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly emitted: readonly Emitted[]; readonly refused: number }
  | { readonly kind: 'failed'; readonly reason: string }
