import { createContext, use } from 'react'
import type { KeptWindows } from './kept-windows.ts'

export const KeepContext = createContext<KeptWindows | undefined>(undefined)

export function useKeptWindows(): KeptWindows {
  const kept = use(KeepContext)
  if (!kept) throw new Error('useKeptWindows outside of KeepContext')
  return kept
}
