import './payload.css'
import { visiblePlainText } from '@tapdeck/api/visible-text'
import { formatBytes } from '@tapdeck/units'
import { useMemo, useState } from 'react'
import type { CallMessage } from '../../client/call-details.ts'
import { type BodyForm, bodyForms } from '../../format/body-forms.ts'
import { graphqlLayout } from '../../format/graphql-layout.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { HexView } from '../../ui/hex-view.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { ProtobufView } from './protobuf-view.tsx'

const TITLES: Readonly<Record<BodyForm['kind'], string>> = {
  tree: 'Tree',
  graphql: 'GraphQL',
  form: 'Form',
  image: 'Image',
  protobuf: 'Protobuf',
  text: 'Text',
  hex: 'Hex',
}

/** A payload in the best of its forms, and in the others; always with its true size. */
export function BodyView({ message, name }: { readonly message: CallMessage; readonly name: string }) {
  const { body, body_encoding, headers, body_size: size } = message
  const type = String(headers?.['content-type'] ?? '')
  const forms = useMemo(
    () => (body ? bodyForms({ body, encoding: body_encoding, type }) : []),
    [body, body_encoding, type],
  )
  const [wanted, setWanted] = useState<BodyForm['kind']>()
  const form = forms.find(({ kind }) => kind === wanted) ?? forms[0]
  if (body === undefined || !form) {
    if (!size) return null
    return <p className="body-note">A body of {formatBytes(size)} was not kept.</p>
  }
  return (
    <figure className="body">
      <figcaption>
        <h4>Body</h4>
        {size !== undefined && <span className="soft">{formatBytes(size)}</span>}
        {message.truncated && (
          <span className="badge warn" title="Only the beginning of the body was kept.">
            truncated
          </span>
        )}
        <span className="grow" />
        {forms.length > 1 &&
          forms.map(({ kind }) => (
            <button
              key={kind}
              type="button"
              className="button bare"
              aria-pressed={kind === form.kind}
              onClick={() => setWanted(kind)}
            >
              {TITLES[kind]}
            </button>
          ))}
        <CopyButton text={() => body}>Copy</CopyButton>
      </figcaption>
      <FormView form={form} label={`Body of the ${name}`} />
    </figure>
  )
}

function FormView({ form, label }: { readonly form: BodyForm; readonly label: string }) {
  switch (form.kind) {
    case 'tree':
      return <JsonTree value={form.value} label={label} />
    case 'graphql':
      return (
        <>
          <CodeBlock text={graphqlLayout(form.query)} />
          {form.variables !== undefined && form.variables !== null && (
            <>
              <h4>Variables</h4>
              <JsonTree value={form.variables} label="Variables" />
            </>
          )}
        </>
      )
    case 'form':
      return (
        <dl className="facts">
          {form.pairs.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a form may repeat a name
            <div key={index} className="fact">
              <dt>{name}</dt>
              <dd className="value">{value}</dd>
            </div>
          ))}
        </dl>
      )
    case 'image':
      return <img className="body-image" src={form.source} alt={label} />
    case 'protobuf':
      return <ProtobufView messages={form.messages} />
    case 'text':
      return <CodeBlock text={form.text} />
    case 'hex':
      return <HexView bytes={form.bytes} label={label} />
  }
}

/** A text as it is, in its own scrolling box. */
export function CodeBlock({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  return <pre tabIndex={0}>{visiblePlainText(text)}</pre>
}
