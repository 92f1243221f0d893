import { type HexMark, hexRows, ROW_BYTES } from '../format/hex-rows.ts'

const MAX_BYTES = 8192

export interface HexViewProps {
  readonly bytes: Uint8Array
  readonly label: string
  readonly marks?: readonly HexMark[]
}

/** Offset, sixteen bytes and their printable characters a row. */
export function HexView({ bytes, label, marks = [] }: HexViewProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a group of fields is no dump
    <div className="hex-view" role="group" aria-label={label} tabIndex={0}>
      {hexRows(bytes, MAX_BYTES, marks).map(({ offset, runs, lacks }) => (
        <div key={offset} className="hex-row">
          <span className="soft">{offset}</span>
          <span>
            {runs.map(({ hex, mark }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other identity than their place
              <span key={index}>
                {index > 0 && ' '}
                <span className={mark}>{hex}</span>
              </span>
            ))}
            {'   '.repeat(lacks % ROW_BYTES)}
          </span>
          <span>
            {runs.map(({ text, mark }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other identity than their place
              <span key={index} className={mark}>
                {text}
              </span>
            ))}
          </span>
        </div>
      ))}
      {bytes.length > MAX_BYTES && <p className="soft">… {bytes.length - MAX_BYTES} more bytes</p>}
    </div>
  )
}
