import { countOf } from '../format/amount.ts'
import { Icon } from './icon.tsx'

interface MissingNode {
  readonly name: string
  readonly reason: string
}

/** More nodes than this are one badge. */
const MAX_NAMED = 3

/** The nodes whose part is not in an answer, each with the reason. */
export function MissingNodes({ nodes = [] }: { readonly nodes?: readonly MissingNode[] | undefined }) {
  if (nodes.length <= MAX_NAMED)
    return nodes.map(({ name, reason }) => (
      <span key={name} className="badge warn" title={reason}>
        <Icon name="warning" size={11} />
        without {name}: {reason}
      </span>
    ))
  return (
    <span className="badge warn" title={nodes.map(({ name, reason }) => `${name}: ${reason}`).join('\n')}>
      <Icon name="warning" size={11} />
      without {countOf(nodes.length, 'node')}
    </span>
  )
}
