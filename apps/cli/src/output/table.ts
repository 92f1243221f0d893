/** One column: its title, what stands in it, and whether it may be cut when the screen is narrow. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string | number | null | undefined
  readonly align?: 'right'
  /** Gives way when the screen is narrow. */
  readonly shrinks?: true
  /** Left out where no row has anything in it. */
  readonly isRare?: true
}

const gap = '  '
const leastWidth = 8

/** Rows as aligned text under their titles, no line wider than `width`. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): string {
  const shown = columns.filter(({ isRare, cell }) => !isRare || rows.some((row) => cell(row) !== undefined))
  const table = new Table(shown, rows, width)
  return table.head() + table.lines(rows)
}

/** A table whose widths are taken from some of its rows, so that the others can be printed as they come. */
export class Table<Row> {
  readonly #columns: readonly Column<Row>[]
  readonly #widths: number[]
  readonly #width: number

  constructor(columns: readonly Column<Row>[], sample: readonly Row[], width: number) {
    this.#columns = columns
    this.#width = Math.max(width, leastWidth)
    this.#widths = columns.map(({ title, cell }) =>
      sample.reduce((most, row) => Math.max(most, plain(cell(row)).length), title.length),
    )
    this.#shrink()
  }

  head(): string {
    return this.#line(this.#columns.map(({ title }) => title))
  }

  lines(rows: readonly Row[]): string {
    return rows.map((row) => this.#line(this.#columns.map(({ cell }) => plain(cell(row))))).join('')
  }

  #line(words: readonly string[]): string {
    const cells = words.map((word, at) => {
      const width = this.#widths[at]!
      const text = word.length <= width ? word : `${word.slice(0, width - 1)}…`
      return this.#columns[at]!.align === 'right' ? text.padStart(width) : text.padEnd(width)
    })
    return `${cells.join(gap).slice(0, this.#width).trimEnd()}\n`
  }

  #shrink(): void {
    const widths = this.#widths
    let excess = widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - this.#width
    for (; excess > 0; excess--) {
      let widest = -1
      for (const [at, column] of this.#columns.entries())
        if (column.shrinks && widths[at]! > leastWidth && widths[at]! > (widths[widest] ?? 0)) widest = at
      if (widest < 0) return
      widths[widest]!--
    }
  }
}

/** Traffic is not to steer anybody's terminal. */
function plain(value: string | number | null | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return String(value ?? '-').replace(/[\u0000-\u001f\u007f-\u009f]/g, '·')
}
