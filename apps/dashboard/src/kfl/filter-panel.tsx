import type { KflCheck, KflField } from '../client/hub.ts'
import { DocsLink } from '../docs/docs-link.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Completion } from './use-completion.ts'

export interface FilterPanelProps {
  readonly listId: string
  readonly errorId: string
  readonly error: KflCheck | undefined
  readonly completion: Completion
  /** Filters that the text probably means; Enter applies the first. */
  readonly probable: readonly string[]
  /** The field under the caret. */
  readonly field: KflField | undefined
  readonly onPick: (filter: string) => void
  readonly onAccept: (item: number) => void
  readonly onMend: () => void
}

/** Below the filter: what is wrong with it and how to mend it, and what could come next. */
export function FilterPanel(props: FilterPanelProps) {
  const { listId, errorId, error, completion, probable, field, onPick, onAccept, onMend } = props
  const { answer, active } = completion
  if (!error && !answer && !field) return null
  return (
    <div className="filter-panel">
      {field && (
        <p className="field-doc">
          <code>{field.name}</code> <span className="kind">{field.type}</span> {field.doc}.{' '}
          <code className="soft">{field.example}</code> <DocsLink to="kfl-fields">All fields</DocsLink>
        </p>
      )}
      {error && probable.length > 0 && (
        <div id={errorId} className="filter-offers" role="status">
          <span>Do you mean</span>
          {probable.map((filter, index) => (
            <button
              key={filter}
              type="button"
              className="button"
              onMouseDown={keepFocus}
              onClick={() => onPick(filter)}
            >
              <code>{filter}</code>
              {index === 0 && <kbd className="filter-hint">Enter</kbd>}
            </button>
          ))}
        </div>
      )}
      {error && probable.length === 0 && (
        <div id={errorId} className="filter-error" role="status">
          <Icon name="warning" size={14} />
          <span className="grow">
            {error.message} <DocsLink to="kfl">Filter language</DocsLink>
          </span>
          {error.suggestion !== undefined && (
            <button type="button" className="button" onMouseDown={keepFocus} onClick={onMend}>
              Use <code>{error.suggestion}</code>
            </button>
          )}
        </div>
      )}
      {answer && (
        <div id={listId} role="listbox" aria-label="Completions">
          {answer.items.map((item, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the input has the focus and the keys
            <div
              key={`${item.kind} ${item.label}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              ref={index === active ? intoView : undefined}
              onMouseDown={keepFocus}
              onClick={() => onAccept(index)}
            >
              <code>{item.label}</code>
              <span className="kind">{item.kind}</span>
              <span className="doc cut">{item.doc}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

const keepFocus = (event: { preventDefault(): void }) => event.preventDefault()
// In braces: newer browsers give a promise back, which React would take for a clean-up function.
const intoView = (item: HTMLElement | null) => {
  item?.scrollIntoView({ block: 'nearest' })
}
