/** Browsers cut elements that are higher: Firefox at about 17.9 million pixels, Chromium at 33.5 million. */
const MAX_PX = 15_000_000
/** What is below the last row. */
export const END_PX = 56

/**
 * Where the rows of a list are, and how far it is scrolled. A list that is higher than browsers allow gets a lower element. There, a small
 * step of the scroll bar's position moves the rows by as much, and a jump moves them in proportion.
 */
export class RowScroll {
  /** How far the list is scrolled, in pixels of its rows. */
  top = 0
  /** The position of the scroll bar that belongs to it. */
  #barTop = 0
  #rows = 0
  #rowPx = 1
  #viewPx = 0

  /** The height of the element that is scrolled. */
  get height(): number {
    return Math.min(MAX_PX, this.#allPx)
  }

  /** The same row stays on top where the height of rows changes. Returns where the scroll bar belongs then. */
  resize(rows: number, rowPx: number, viewPx: number): number {
    const firstRow = this.top / this.#rowPx
    const isNew = rowPx !== this.#rowPx
    this.#rows = rows
    this.#rowPx = rowPx
    this.#viewPx = viewPx
    if (isNew) return this.scrollTo(firstRow * rowPx)
    this.top = Math.min(this.top, this.#end)
    return this.#barTop
  }

  /** The user moved the scroll bar. */
  moved(barTop: number): void {
    const step = barTop - this.#barTop
    this.#barTop = barTop
    if (this.#stretch === 1) this.top = barTop
    else if (Math.abs(step) <= 2 * this.#viewPx) this.top = within(this.top + step, this.#end)
    else this.top = within(barTop * this.#stretch, this.#end)
  }

  /** Where the scroll bar belongs by the rows that are shown. After many small steps it is elsewhere. */
  get honestBarTop(): number {
    return this.top / this.#stretch
  }

  /** The position of the scroll bar is set to what is returned. */
  scrollTo(top: number): number {
    this.top = within(top, this.#end)
    this.#barTop = this.honestBarTop
    return this.#barTop
  }

  /** The position at which a row is on the screen, moved no further than needed. */
  topFor(row: number): number {
    const begin = row * this.#rowPx
    if (begin < this.top) return begin
    return Math.max(this.top, begin + this.#rowPx - this.#viewPx)
  }

  /** Where a row is placed in the element. */
  placeOf(row: number): number {
    if (this.#stretch === 1) return row * this.#rowPx
    return row * this.#rowPx - this.top + this.#barTop
  }

  /** The rows on the screen. */
  get seen(): { readonly first: number; readonly last: number } {
    return {
      first: Math.floor(this.top / this.#rowPx),
      last: Math.min(this.#rows, Math.ceil((this.top + this.#viewPx) / this.#rowPx)) - 1,
    }
  }

  get #allPx(): number {
    return this.#rows * this.#rowPx + END_PX
  }

  get #end(): number {
    return Math.max(0, this.#allPx - this.#viewPx)
  }

  /** Pixels of rows for a pixel of the element. */
  get #stretch(): number {
    if (this.#allPx <= MAX_PX) return 1
    return this.#end / (this.height - this.#viewPx)
  }
}

function within(top: number, end: number): number {
  return Math.min(end, Math.max(0, top))
}
