import { formatBytes } from '@tapdeck/units'
import { Clock, type ClockOptions } from './clock.ts'
import { showFacts } from './show.ts'
import { type Column, formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'

type Row = Readonly<Record<string, unknown>>
type Cell = string | number | undefined

/** An answer of any operation, for people: single values as lines, lists as tables. */
export async function showAnswer(terminal: Terminal, answer: unknown, options: ClockOptions): Promise<void> {
  if (!isObject(answer)) return terminal.out(`${JSON.stringify(answer, null, 2)}\n`)
  const flat = flattened(answer)
  const lists = Object.entries(flat).filter((entry): entry is [string, readonly Row[]] => isRows(entry[1]))
  const facts = Object.entries(flat).filter(([, value]) => !isRows(value))
  if (facts.length > 0)
    await showFacts(terminal, Object.fromEntries(facts.map(([key, value]) => [words(key), fact(key, value)])))
  for (const [key, list] of lists) {
    if (facts.length > 0 || lists.length > 1) await terminal.out(`\n${words(key)}:\n`)
    const rows = list.map((row) => flattened(row))
    if (rows.length === 0) await terminal.out('(none)\n')
    else await terminal.out(formatTable(columnsOf(rows, options), rows, terminal))
  }
}

/** Objects in an object become keys with a dot, two levels deep. */
function flattened(object: Row, depth = 2): Row {
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] =>
    depth > 0 && isObject(value)
      ? Object.entries(flattened(value, depth - 1)).map(([inner, part]) => [`${key}.${inner}`, part])
      : [[key, value]],
  )
  return Object.fromEntries(entries)
}

function columnsOf(rows: readonly Row[], options: ClockOptions): Column<Row>[] {
  const keys = new Set(rows.flatMap((row) => Object.keys(row)))
  return Array.from(keys, (key, at): Column<Row> => {
    const values = rows.map((row) => row[key])
    const times = values.map((value) => timeOf(key, value)).filter((time) => time !== undefined)
    const isOptional = at >= MAX_KEPT_COLUMNS || undefined
    if (times.length > 0) {
      const clock = new Clock(times, options)
      const cell = (row: Row) => {
        const time = timeOf(key, row[key])
        return time === undefined ? undefined : clock.format(time)
      }
      return { title: clock.title.replace('TIME', title(key)), cell, ...(isOptional && { isOptional }) }
    }
    const isNumber = values.some((value) => typeof value === 'number')
    return {
      title: title(key),
      cell: (row) => cellOf(key, row[key]),
      ...(isNumber ? { align: 'right' } : { shrinks: true }),
      ...(!isNumber && !isOptional && { readableWidth: READABLE_WIDTH }),
      ...(isOptional && { isOptional }),
    }
  })
}

/** The first columns are kept on a narrow terminal. */
const MAX_KEPT_COLUMNS = 5
/** Other columns are left out before a text of these is cut to less. */
const READABLE_WIDTH = 48

function fact(key: string, value: unknown): Cell {
  const time = timeOf(key, value)
  return time === undefined ? cellOf(key, value) : new Date(time).toISOString()
}

function cellOf(key: string, value: unknown): Cell {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'number') return /(^|[._])bytes$/.test(key) ? formatBytes(value) : value
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map((one) => cellOf('', one) ?? '-').join(', ') || undefined
  return Object.entries(value)
    .map(([name, part]) => `${name}=${cellOf(name, part) ?? '-'}`)
    .join(' ')
}

/** Unix milliseconds of fields named as times: `*_ts`, `timestamp`, `*_at`, `since`. */
function timeOf(key: string, value: unknown): number | undefined {
  if (typeof value === 'number') return /(^|[._])(ts|timestamp)$/.test(key) ? value : undefined
  if (typeof value !== 'string' || !/(^|[._])(at|since)$/.test(key)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

function isRows(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one))
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function words(key: string): string {
  return key.replaceAll(/[._]/g, ' ')
}

function title(key: string): string {
  return words(key).toUpperCase()
}
