import type { ReactNode } from 'react'
import { go } from '../../address/use-address.ts'

/** Opens the details of another call. */
export function CallLink({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <button type="button" className="text-link" onClick={() => go({ call: id })}>
      {children}
    </button>
  )
}
