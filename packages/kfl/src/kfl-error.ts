export interface KflErrorPlace {
  /** UTF-16 units from the start of the filter. */
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  /** The nearest name or a mended filter. */
  readonly suggestion?: string
}

/** What is wrong with a filter, where, and how to mend it. */
export class KflError extends Error implements KflErrorPlace {
  override readonly name = 'KflError'
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  readonly suggestion?: string

  constructor(message: string, place: KflErrorPlace) {
    super(message)
    this.position = place.position
    this.length = place.length
    if (place.expected) this.expected = place.expected
    if (place.suggestion !== undefined) this.suggestion = place.suggestion
  }
}
