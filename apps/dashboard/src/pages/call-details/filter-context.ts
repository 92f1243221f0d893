import { createContext, use } from 'react'
import type { KflField } from '../../client/hub.ts'

/** What lets a value on the panel become a part of the filter. */
export interface FilterAdder {
  readonly fields: readonly KflField[]
  add(clause: string): void
}

export const FilterContext = createContext<FilterAdder>({ fields: [], add: () => {} })

export function useFilterAdder(): FilterAdder {
  return use(FilterContext)
}
