import type { CallHalf } from '../../client/call-details.ts'
import { BodyView } from './body-view.tsx'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'

const shownApart = ['headers', 'query', 'body', 'body_size', 'body_encoding', 'truncated']

export interface HalfViewProps {
  readonly title: string
  readonly name: 'request' | 'response'
  readonly half: CallHalf | undefined
  /** Why the half is missing, where it is. */
  readonly missing: string | undefined
}

export function HalfView({ title, name, half, missing }: HalfViewProps) {
  if (!half)
    return missing ? (
      <section className="part">
        <h3>{title}</h3>
        <p className="body-note">Not seen: {missing}.</p>
      </section>
    ) : null
  return (
    <section className="part">
      <h3>{title}</h3>
      <FactList facts={factsOf(half, [name], shownApart)} />
      <FactList title="Query" facts={factsOf(half.query, [name, 'query'])} />
      <FactList title="Headers" facts={factsOf(half.headers, [name, 'headers'])} />
      <BodyView half={half} />
    </section>
  )
}
