/** Things that are known about rows of a list, in the order of the rows. Above `capacity`, every second one is forgotten. */
export class RowMarks<Mark extends { readonly row: number }> {
  readonly #capacity: number
  #marks: Mark[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get length(): number {
    return this.#marks.length
  }

  add(mark: Mark): void {
    const place = this.#above(mark.row)
    const before = this.#marks[place - 1]
    if (before?.row === mark.row) this.#marks[place - 1] = mark
    else this.#marks.splice(place, 0, mark)
    // The first and the last bound every search.
    const last = this.#marks.length - 1
    if (last >= this.#capacity) this.#marks = this.#marks.filter((_, at) => at % 2 === 0 || at === last)
  }

  /** The last one at or before a row. */
  before(row: number): Mark | undefined {
    return this.#marks[this.#above(row) - 1]
  }

  /** The first one after a row. */
  after(row: number): Mark | undefined {
    return this.#marks[this.#above(row)]
  }

  /** The place of the first mark after a row. */
  #above(row: number): number {
    let low = 0
    let high = this.#marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#marks[middle]!.row <= row) low = middle + 1
      else high = middle
    }
    return low
  }
}
