import type { Column } from './column.ts'
import { fieldColumn } from './field-column.tsx'
import { columns as builtIn } from './index.ts'

/** A column that the list shows: a built-in one by its id, or a field. */
export interface ChosenColumn {
  readonly id: string
  /** Of a field: where the full call has it. */
  readonly path?: string
  /** Set by the user, in pixels; by default the column has its own width. */
  readonly width?: number
}

export const MAX_COLUMNS = 20
export const MIN_COLUMN_PX = 40
const MAX_COLUMN_PX = 1200

export const firstChoice: readonly ChosenColumn[] = builtIn.map(({ id }) => ({ id }))

/** The columns themselves, from left to right. */
export function columnsOf(chosen: readonly ChosenColumn[]): readonly Column[] {
  return chosen.flatMap((choice) => {
    const column = choice.path === undefined ? builtInColumn(choice.id) : fieldColumn(choice.id, choice.path)
    if (!column) return []
    const fixed = choice.width === undefined ? undefined : { least: choice.width }
    return fixed ? [{ ...column, wide: fixed, medium: fixed, dayPx: { day: 0, year: 0 } }] : [column]
  })
}

function builtInColumn(id: string): Column | undefined {
  return builtIn.find((column) => column.id === id)
}

/** Shows a built-in column at its first place, or hides it. The last one stays: a list without columns shows nothing. */
export function toggled(chosen: readonly ChosenColumn[], id: string): readonly ChosenColumn[] {
  const others = chosen.filter((choice) => choice.id !== id)
  if (others.length < chosen.length) return others.length === 0 ? chosen : others
  const rank = firstChoice.findIndex((choice) => choice.id === id)
  const before = firstChoice.slice(0, rank).map((choice) => choice.id)
  const place = chosen.findLastIndex((choice) => before.includes(choice.id)) + 1
  return chosen.toSpliced(place, 0, { id })
}

/** With a field as the last column; once is enough. */
export function withField(
  chosen: readonly ChosenColumn[],
  name: string,
  path: string,
): readonly ChosenColumn[] {
  if (chosen.length >= MAX_COLUMNS || chosen.some((choice) => choice.id === name)) return chosen
  return [...chosen, { id: name, path }]
}

export function moved(chosen: readonly ChosenColumn[], id: string, by: 1 | -1): readonly ChosenColumn[] {
  const from = chosen.findIndex((choice) => choice.id === id)
  const to = from + by
  const choice = chosen[from]
  if (!choice || to < 0 || to >= chosen.length) return chosen
  return chosen.toSpliced(from, 1).toSpliced(to, 0, choice)
}

/** `undefined` gives the column its own width back. */
export function resized(
  chosen: readonly ChosenColumn[],
  id: string,
  width: number | undefined,
): readonly ChosenColumn[] {
  return chosen.map(({ width: before, ...choice }) => {
    const after = choice.id === id ? width : before
    return after === undefined ? choice : { ...choice, width: bounded(after) }
  })
}

/** What a browser has stored, which may be anything. */
export function readChoice(value: unknown): readonly ChosenColumn[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_COLUMNS) return undefined
  const chosen = value.flatMap((one: unknown): ChosenColumn[] => {
    if (typeof one !== 'object' || one === null) return []
    const { id, path, width } = one as Readonly<Record<string, unknown>>
    if (typeof id !== 'string' || (path === undefined ? !builtInColumn(id) : typeof path !== 'string'))
      return []
    const own = typeof width === 'number' && Number.isFinite(width) ? { width: bounded(width) } : {}
    return [typeof path === 'string' ? { id, path, ...own } : { id, ...own }]
  })
  const isUnique = new Set(chosen.map(({ id }) => id)).size === chosen.length
  return isUnique && chosen.length > 0 ? chosen : undefined
}

function bounded(width: number): number {
  return Math.round(Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, width)))
}
