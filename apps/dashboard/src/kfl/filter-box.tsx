import './filter-box.css'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import type { CompactCall } from '../client/call-details.ts'
import { checkOptions, useKflCheck, useKflFields } from '../client/use-hub.ts'
import { tell } from '../ui/alerts.tsx'
import { Icon } from '../ui/icon.tsx'
import { isShortcut } from '../ui/is-shortcut.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { useKept } from '../ui/use-kept.ts'
import { complete, type Edit, mend } from './edit.ts'
import { fieldAt } from './field-at.ts'
import { FilterList } from './filter-list.tsx'
import { noFilters, readFilters, withRecent, withSaved } from './filter-memory.ts'
import { FilterPanel } from './filter-panel.tsx'
import { highlight } from './highlight.ts'
import { probableFilters } from './probable-filters.ts'
import { SharedFilters } from './shared-filters.tsx'
import { useCompletion } from './use-completion.ts'

export interface FilterBoxProps {
  /** The filter in force. */
  readonly applied: string
  readonly onApply: (filter: string) => void
  /** Calls whose values may be offered. */
  readonly seen: () => Iterable<CompactCall>
  /** The dissection whose values may be offered; live ones otherwise. */
  readonly db: string | undefined
}

/** Delay of error messages while the user types; longer at the place of typing. */
const restMs = 350
const longRestMs = 1200

/** The filter: `/` leads to it, Enter applies it, Escape goes back to the one in force. */
export function FilterBox({ applied, onApply, seen, db }: FilterBoxProps) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(applied)
  const [seenApplied, setSeenApplied] = useState(applied)
  const [isChecking, setIsChecking] = useState(false)
  const [memory, remember] = useKept('filters', noFilters, readFilters)
  const [isListed, setIsListed] = useState(false)
  /** Where the caret is while the user writes. */
  const [caret, setCaret] = useState<number>()
  const { data: fields = [] } = useKflFields()
  const input = useRef<HTMLInputElement>(null)
  const mirror = useRef<HTMLDivElement>(null)
  const caretAfter = useRef<number>(undefined)
  const completion = useCompletion(draft, seen, db)
  const [listId, errorId] = [useId(), useId()]
  if (seenApplied !== applied) {
    setSeenApplied(applied)
    setDraft(applied)
  }

  const rested = useDebounced(draft, restMs)
  const check = useKflCheck(rested).data
  const hasRestedLong = useDebounced(draft, longRestMs) === draft
  const isWrong = rested === draft && draft.trim() !== '' && check !== undefined && !check.valid
  const isAtEnd = isWrong && (check.position ?? 0) + (check.length ?? 0) >= draft.trimEnd().length
  const error = isWrong && (hasRestedLong || !isAtEnd) ? check : undefined

  const field = caret === undefined ? undefined : fieldAt(draft, caret, fields)
  const probable = error ? probableFilters(draft) : []

  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return
    input.current?.setSelectionRange(caretAfter.current, caretAfter.current)
    caretAfter.current = undefined
    followScroll()
  })

  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || !isShortcut(event)) return
      input.current?.focus()
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  const followScroll = () => {
    if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft
  }

  const edit = ({ text, caret }: Edit) => {
    setDraft(text)
    caretAfter.current = caret
    input.current?.focus()
  }

  const take = (filter: string) => {
    remember(withRecent(memory, filter))
    onApply(filter)
  }

  const apply = async (text: string) => {
    completion.close()
    setCaret(undefined)
    setIsListed(false)
    const filter = text.trim()
    const [meant] = probableFilters(filter)
    setIsChecking(true)
    try {
      if (filter === '' || (await queries.fetchQuery(checkOptions(filter))).valid) take(filter)
      else if (meant !== undefined) take(meant)
    } catch (reason) {
      tell(reason instanceof Error ? reason : new Error(String(reason)))
    } finally {
      setIsChecking(false)
    }
  }

  const accept = (item: number) => {
    const { answer } = completion
    if (!completion.isCurrent || !answer?.items[item]) return
    const next = complete(draft, answer, answer.items[item])
    edit(next)
    completion.follow(next.caret)
  }

  const stepBack = () => {
    if (completion.isOpen) completion.close()
    else if (isListed) setIsListed(false)
    else if (draft !== applied) setDraft(applied)
    else input.current?.blur()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const hasWord = /[\w.]$/.test(draft.slice(0, event.currentTarget.selectionStart ?? 0))
    if (event.key === 'Escape') stepBack()
    else if (event.key === 'Enter' && completion.isOpen && completion.active >= 0) accept(completion.active)
    else if (event.key === 'Enter') void apply(draft)
    else if (event.key === 'ArrowDown' && !completion.isOpen)
      completion.follow(event.currentTarget.selectionStart ?? 0)
    else if (event.key === 'ArrowDown') completion.step(1)
    else if (event.key === 'ArrowUp' && completion.isOpen) completion.step(-1)
    else if (
      event.key === 'Tab' &&
      !event.shiftKey &&
      completion.isOpen &&
      (completion.active >= 0 || hasWord)
    )
      accept(Math.max(0, completion.active))
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className={`filter${error ? ' wrong' : ''}`}>
      <Icon name="search" size={14} />
      <div className="filter-text">
        <div ref={mirror} className="filter-mirror" aria-hidden="true">
          {highlight(draft, error && { position: error.position ?? 0, length: error.length ?? 1 }).map(
            (piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity than their place
              <span key={index} className={`${piece.kind}${piece.wrong ? ' wrong-part' : ''}`}>
                {piece.text}
              </span>
            ),
          )}
        </div>
        <input
          ref={input}
          value={draft}
          aria-label="Filter calls"
          role="combobox"
          aria-expanded={completion.isOpen}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={completion.active >= 0 ? `${listId}-${completion.active}` : undefined}
          aria-invalid={error !== undefined}
          aria-describedby={error ? errorId : undefined}
          placeholder={'Filter, such as dst.svc == "cart" and response.status == 500'}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => {
            setIsListed(false)
            setDraft(event.target.value)
            completion.follow(event.target.selectionStart ?? event.target.value.length)
          }}
          onKeyDown={onKeyDown}
          onScroll={followScroll}
          onSelect={({ currentTarget, nativeEvent }) => {
            followScroll()
            if (!isEnter(nativeEvent)) setCaret(currentTarget.selectionStart ?? undefined)
          }}
          onBlur={() => {
            completion.close()
            setCaret(undefined)
          }}
        />
      </div>
      {draft !== applied && <kbd className="filter-hint">{isChecking ? '…' : 'Enter'}</kbd>}
      {draft !== '' && (
        <button
          type="button"
          className="button bare square"
          aria-label="Clear the filter"
          onClick={() => {
            edit({ text: '', caret: 0 })
            void apply('')
          }}
        >
          <Icon name="close" size={14} />
        </button>
      )}
      <button
        type="button"
        className="button bare square"
        aria-label="Saved and recent filters"
        title="Saved and recent filters"
        aria-expanded={isListed}
        onClick={() => setIsListed(!isListed)}
      >
        <Icon name="clock" size={14} />
      </button>
      {isListed && (
        <div className="filter-panel">
          <FilterList
            memory={memory}
            onPick={(filter) => void apply(filter)}
            onSave={(filter) => remember(withSaved(memory, filter))}
          />
          <SharedFilters applied={applied} onPick={(filter) => void apply(filter)} />
        </div>
      )}
      <FilterPanel
        listId={listId}
        errorId={errorId}
        error={error}
        completion={completion}
        probable={probable}
        field={isListed ? undefined : field}
        onPick={(filter) => void apply(filter)}
        onAccept={accept}
        onMend={() => {
          completion.close()
          if (error) edit(mend(draft, error))
        }}
      />
    </div>
  )
}

/** The key that applied the filter also moves the caret: nothing must cover the calls then. */
function isEnter(event: Event): boolean {
  return event instanceof globalThis.KeyboardEvent && event.key === 'Enter'
}
