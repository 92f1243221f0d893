export interface BpfErrorPlace {
  /** UTF-16 units from the start of the expression. */
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  /** What was most likely meant. */
  readonly suggestion?: string
}

/** What is wrong with a BPF expression, where, and how to mend it. */
export class BpfError extends Error implements BpfErrorPlace {
  override readonly name = 'BpfError'
  readonly position: number
  readonly length: number
  readonly expected?: readonly string[]
  readonly suggestion?: string

  constructor(message: string, place: BpfErrorPlace) {
    super(message)
    this.position = place.position
    this.length = place.length
    if (place.expected) this.expected = place.expected
    if (place.suggestion !== undefined) this.suggestion = place.suggestion
  }
}
