import type { ReactNode } from 'react'
import { DocsLink } from '../docs/docs-link.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

export interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** What would be here, why nothing is, and what to do next. */
  readonly children?: ReactNode
  /** The place of the documentation that explains it. */
  readonly docs: string
}

/** A view without anything to show teaches what it is for. */
export function Empty({ icon, title, children, docs }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} size={22} />
      <h2>{title}</h2>
      {children}
      <p className="soft">
        <DocsLink to={docs}>Read how this works</DocsLink>
      </p>
    </div>
  )
}
