import { Fragment, type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { countOf } from '../format/amount.ts'
import { type JsonMatches, jsonMatches } from '../format/json-matches.ts'

/** Shown of one object or list before the rest is asked for. */
const MAX_CHILDREN = 100
/** Levels that are open at first. */
const OPEN_LEVELS = 3

/** JSON that folds, with a search in names and values. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const matches = useMemo(() => (wanted === '' ? undefined : jsonMatches(value, wanted)), [value, wanted])
  return (
    <div className="json-tree">
      <div className="json-search">
        <input
          type="search"
          className="input"
          value={text}
          placeholder="Search names and values"
          aria-label={`Search in ${label}`}
          onChange={(event) => setText(event.target.value)}
        />
        {matches && (
          <span className="soft" role="status">
            {countOf(matches.count, 'match').replace('matchs', 'matches')}
            {matches.isCut && ' in the first part'}
          </span>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of fields is no document */}
      <div className="json-body" role="group" aria-label={label} tabIndex={0}>
        <Node
          key={wanted}
          name={undefined}
          value={value}
          path=""
          level={0}
          matches={matches}
          wanted={wanted}
        />
      </div>
    </div>
  )
}

interface NodeProps {
  readonly name: string | undefined
  readonly value: unknown
  readonly path: string
  readonly level: number
  readonly matches: JsonMatches | undefined
  readonly wanted: string
}

function Node({ name, value, path, level, matches, wanted }: NodeProps) {
  const [isOpen, setIsOpen] = useState(matches ? matches.open.has(path) : level < OPEN_LEVELS)
  const [shown, setShown] = useState(MAX_CHILDREN)
  const title = name === undefined ? null : <b>{marked(JSON.stringify(name), wanted)}: </b>
  if (typeof value !== 'object' || value === null)
    return (
      <div className="json-leaf">
        {title}
        <span className={typeof value}>{marked(JSON.stringify(value) ?? String(value), wanted)}</span>
      </div>
    )
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const size = countOf(entries.length, isList ? 'item' : 'field')
  if (entries.length === 0)
    return (
      <div className="json-leaf">
        {title}
        <span>{isList ? '[]' : '{}'}</span>
      </div>
    )
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {title}
        <span className="soft">{isList ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {isOpen && (
        <div className="json-children">
          {entries.slice(0, shown).map(([key, inner]) => (
            <Node
              key={key}
              name={isList ? undefined : key}
              value={inner}
              path={`${path}/${key}`}
              level={level + 1}
              matches={matches}
              wanted={wanted}
            />
          ))}
          {entries.length > shown && (
            <button type="button" className="text-link" onClick={() => setShown(shown + 10 * MAX_CHILDREN)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </details>
  )
}

/** The text with what is searched for marked. */
function marked(text: string, wanted: string): ReactNode {
  const lower = text.toLowerCase()
  if (wanted === '' || !lower.includes(wanted) || lower.length !== text.length) return text
  const pieces: ReactNode[] = []
  let at = 0
  for (let found = lower.indexOf(wanted); found >= 0; found = lower.indexOf(wanted, at)) {
    pieces.push(
      <Fragment key={found}>
        {text.slice(at, found)}
        <mark>{text.slice(found, found + wanted.length)}</mark>
      </Fragment>,
    )
    at = found + wanted.length
  }
  return [...pieces, text.slice(at)]
}
