import type { ReactNode } from 'react'
import type { CompactCall } from '../client/call-details.ts'

/** One column of the list of calls. Its width is in the style sheet under its id. */
export interface Column {
  readonly id: string
  readonly title: string
  render(call: CompactCall): ReactNode
  /** Tooltip of the cell. */
  tooltip?(call: CompactCall): string | undefined
}
