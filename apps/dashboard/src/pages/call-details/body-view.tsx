import { formatBytes } from '@tapdeck/units'
import { useState } from 'react'
import type { CallHalf } from '../../client/call-details.ts'
import { readPayload } from '../../format/payload.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

/** A payload: JSON laid out, text as it is, anything else as a hex dump; always with its true size. */
export function BodyView({ half }: { readonly half: CallHalf }) {
  const [isRaw, setIsRaw] = useState(false)
  const size = half.body_size
  if (half.body === undefined || half.body === '') {
    if (!size) return null
    return <p className="body-note">A body of {formatBytes(size)} was not kept.</p>
  }
  const payload = readPayload(half.body, half.body_encoding)
  const body = half.body
  return (
    <figure className="body">
      <figcaption>
        <h4>Body</h4>
        {size !== undefined && <span className="soft">{formatBytes(size)}</span>}
        {payload.kind === 'binary' && (
          <span
            className="badge"
            title="The body is no text. The hub gives it as base64; it is shown as bytes."
          >
            base64
          </span>
        )}
        {half.truncated && (
          <span className="badge warn" title="Only the beginning of the body was kept.">
            truncated
          </span>
        )}
        <span className="grow" />
        {payload.kind !== 'text' && (
          <button type="button" className="button bare" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
            Raw
          </button>
        )}
        <CopyButton text={() => body}>Copy</CopyButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className={payload.kind === 'binary' && !isRaw ? 'hex' : undefined}>
        {isRaw ? body : payload.text}
      </pre>
    </figure>
  )
}
