import type { ReactNode } from 'react'
import { docsHref } from '../address/use-address.ts'

export interface DocsLinkProps {
  /** `missing-data`, or a section of it: `missing-data:reasons-of-gaps`. A test checks that it exists. */
  readonly to: string
  readonly children: ReactNode
}

/** Leads to the documentation, which is part of the page. "Back" returns to where the reader was. */
export function DocsLink({ to, children }: DocsLinkProps) {
  return (
    // A panel that closes with the focus must still be there for the click.
    <a className="docs-link" href={docsHref(to)} onMouseDown={(event) => event.preventDefault()}>
      {children}
    </a>
  )
}
