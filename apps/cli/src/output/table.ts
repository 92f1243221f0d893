import { visibleText } from '@tapdeck/api/visible-text'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string | number | null | undefined
  readonly align?: 'right'
  /** Cells are cut where the terminal is narrow. */
  readonly shrinks?: true
  /** Optional columns are left out before this column becomes narrower than that. */
  readonly readableWidth?: number
  /** Left out where the table does not fit otherwise; the last such column first. */
  readonly isOptional?: true
  /** Left out where no row has a value; a table whose rows come later keeps it. */
  readonly isRare?: true
  /** Colours the cell, on a terminal that shows colours. */
  readonly tone?: (row: Row) => Tone | undefined
}

export type Tone = 'bad' | 'warn'

/** Where a table is printed. */
export interface Screen {
  readonly width: number
  readonly hasColour?: boolean
  /** Columns that shrink share the space that is left: rows that come later may need it. */
  readonly fills?: boolean
}

const gap = '  '
const MIN_WIDTH = 8
const SGR = { bold: '1', bad: '31', warn: '33' } as const

/** Rows as aligned text under their titles, no line wider than the screen. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  screen: Screen,
): string {
  const shown = columns.filter(
    ({ isRare, cell }) => !isRare || rows.some((row) => (cell(row) ?? undefined) !== undefined),
  )
  const table = new Table(shown, rows, screen)
  return table.head() + table.lines(rows)
}

/** A table whose columns and widths follow from a sample of its rows, so that the others can be printed as they come. */
export class Table<Row> {
  readonly #columns: Column<Row>[]
  #widths: number[]
  readonly #screen: Screen

  constructor(columns: readonly Column<Row>[], sample: readonly Row[], screen: Screen) {
    this.#columns = [...columns]
    this.#screen = { ...screen, width: Math.max(screen.width, MIN_WIDTH) }
    this.#widths = this.#columns.map(({ title, cell }) =>
      sample.reduce((most, row) => Math.max(most, plain(cell(row)).length), title.length),
    )
    this.#fit()
  }

  head(): string {
    return this.#line(
      this.#columns.map(({ title }) => title),
      () => SGR.bold,
    )
  }

  lines(rows: readonly Row[]): string {
    return rows
      .map((row) =>
        this.#line(
          this.#columns.map(({ cell }) => plain(cell(row))),
          ({ tone }) => {
            const name = tone?.(row)
            return name && SGR[name]
          },
        ),
      )
      .join('')
  }

  #line(texts: readonly string[], colourOf: (column: Column<Row>) => string | undefined): string {
    let left = this.#screen.width
    let line = ''
    for (const [at, text] of texts.entries()) {
      const column = this.#columns[at]!
      const width = this.#widths[at]!
      const cut = text.length <= width ? text : `${text.slice(0, width - 1)}…`
      const isLast = at === texts.length - 1
      const padded = column.align === 'right' ? cut.padStart(width) : isLast ? cut : cut.padEnd(width)
      const shown = padded.slice(0, left)
      const colour = this.#screen.hasColour ? colourOf(column) : undefined
      line += colour === undefined ? shown : `\u001b[${colour}m${shown}\u001b[0m`
      left -= shown.length
      if (isLast || left <= gap.length) break
      line += gap
      left -= gap.length
    }
    return `${line.trimEnd()}\n`
  }

  /** Cuts cells as far as they stay readable, then leaves out optional columns, then cuts further, until the lines fit. */
  #fit(): void {
    const full = [...this.#widths]
    for (;;) {
      const last = this.#columns.findLastIndex(({ isOptional }) => isOptional)
      this.#shrink(last >= 0)
      if (this.#excess() <= 0) break
      if (last < 0) return
      this.#columns.splice(last, 1)
      full.splice(last, 1)
      this.#widths = [...full]
    }
    if (this.#screen.fills) this.#fill()
  }

  #fill(): void {
    const growing = [...this.#columns.keys()].filter((at) => this.#columns[at]!.shrinks)
    for (let left = -this.#excess(); left > 0 && growing.length > 0; left--)
      this.#widths[growing[left % growing.length]!]!++
  }

  #excess(): number {
    const widths = this.#widths
    return widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - this.#screen.width
  }

  #shrink(staysReadable: boolean): void {
    const widths = this.#widths
    const least = this.#columns.map(({ readableWidth }) => (staysReadable && readableWidth) || MIN_WIDTH)
    for (let excess = this.#excess(); excess > 0; excess--) {
      let widest = -1
      for (const [at, column] of this.#columns.entries())
        if (column.shrinks && widths[at]! > least[at]! && widths[at]! > (widths[widest] ?? 0)) widest = at
      if (widest < 0) return
      widths[widest]!--
    }
  }
}

/** Control and invisible characters of the traffic must not reach the terminal. */
function plain(value: string | number | null | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return visibleText(String(value ?? '-').replace(/[\u0000-\u001f\u007f-\u009f]/g, '·'))
}
