export interface ErrorPlace {
  /** UTF-16 units from the start of the text. */
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  /** What was most likely meant: the nearest name, or the text mended. */
  readonly suggestion?: string
}

/** An error in a text that a user typed: what is wrong, where, and how to correct it. */
export class PlacedError extends Error implements ErrorPlace {
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  readonly suggestion?: string

  constructor(message: string, place: ErrorPlace) {
    super(message)
    this.position = place.position
    this.length = place.length
    if (place.expected) this.expected = place.expected
    if (place.suggestion !== undefined) this.suggestion = place.suggestion
  }
}
