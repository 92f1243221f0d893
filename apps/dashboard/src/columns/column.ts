import type { ReactNode } from 'react'
import type { CompactCall } from '../client/call-details.ts'

/** The width of a column: at least so many pixels, and a share of what is left over. */
export interface Track {
  readonly least: number
  readonly share?: number
}

/** Whether rows say on which day they were: all were today, some on another day, some in another year. */
export type ShownDay = 'none' | 'day' | 'year'

/** What a row shows besides the call as the list has it: values of fields that were added as columns. */
export type ReadValue = (callId: string, path: string) => unknown

/** One column of the list of calls. */
export interface Column {
  readonly id: string
  readonly title: string
  /** In a wide list, and in one that has less room. */
  readonly wide: Track
  readonly medium: Track
  /** Extra pixels where the list says the day, and where it says the year as well. */
  readonly dayPx?: Readonly<Record<Exclude<ShownDay, 'none'>, number>>
  /** Where it shows a field that the list does not have: what to ask the hub for. */
  readonly asks?: string
  render(call: CompactCall, readValue: ReadValue): ReactNode
  /** Tooltip of the cell. */
  tooltip?(call: CompactCall, readValue: ReadValue): string | undefined
}
