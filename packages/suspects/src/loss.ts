/** Calls that failed, or took longer than they should. */
export interface Loss {
  readonly how: 'failed' | 'delayed'
  readonly lost: number
  readonly of: number
  /** Where all of them have one path. */
  readonly path?: string
}

/** What users lose, where it is nearest to them. */
export interface Impact extends Loss {
  readonly share: number
  /** In one sentence, with share and number. */
  readonly text: string
}
