import { createContext, use } from 'react'
import type { KflField } from '../../client/hub.ts'

/** What lets a value on the panel become a part of the filter. */
export interface FilterAdder {
  readonly fields: readonly KflField[]
  /** Only calls that match it as well. */
  add(clause: string): void
  /** Also calls that match it. */
  addAlternative(clause: string): void
}

export const FilterContext = createContext<FilterAdder>({
  fields: [],
  add: () => {},
  addAlternative: () => {},
})

export function useFilterAdder(): FilterAdder {
  return use(FilterContext)
}
