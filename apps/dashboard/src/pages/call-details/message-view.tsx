import type { CallMessage } from '../../client/call-details.ts'
import { DocsLink } from '../../docs/docs-link.tsx'
import { sqlLayout } from '../../format/sql-layout.ts'
import { BodyView, CodeBlock } from './body-view.tsx'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'
import { hasMasked } from './has-masked.ts'

const shownApart = ['headers', 'query', 'body', 'body_size', 'body_encoding', 'truncated']

export interface MessageViewProps {
  readonly title: string
  readonly name: 'request' | 'response'
  readonly message: CallMessage | undefined
  /** Why the message is missing, where it is. */
  readonly missing: string | undefined
  /** SQL that the message is, in place of its path. */
  readonly statement?: string | undefined
}

export function MessageView({ title, name, message, missing, statement }: MessageViewProps) {
  if (!message)
    return (
      <section className="part">
        <h3>{title}</h3>
        <p className="body-note">{missing ? `Not seen: ${missing}.` : 'This call has none.'}</p>
      </section>
    )
  const apart = statement === undefined ? shownApart : [...shownApart, 'path', 'statement']
  return (
    <section className="part">
      <h3>{title}</h3>
      {statement !== undefined && (
        <div className="body">
          <CodeBlock text={sqlLayout(statement)} />
        </div>
      )}
      <FactList facts={factsOf(message, [name], apart)} />
      {hasMasked(message) && (
        <p className="body-note">
          Credentials are masked: equal digits mean equal values.{' '}
          <DocsLink to="redaction">Read more</DocsLink>
        </p>
      )}
      <FactList title="Query" facts={factsOf(message.query, [name, 'query'])} />
      <BodyView message={message} name={name} />
      <FactList title="Headers" facts={factsOf(message.headers, [name, 'headers'])} />
    </section>
  )
}
