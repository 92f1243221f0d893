import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { CompactCall } from '../client/call-details.ts'
import { hub, type KflCompletion } from '../client/hub.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { seenValues } from './seen-values.ts'

export interface Completion {
  readonly isOpen: boolean
  readonly answer: KflCompletion | undefined
  /** The answer is for the text as it stands; another would put its item in the wrong place. */
  readonly isCurrent: boolean
  /** The item in hand, or -1. */
  readonly active: number
  /** Opens, or follows what is typed. */
  follow(caret: number): void
  close(): void
  step(by: 1 | -1): void
}

const most = 50

/** Completions at the caret: observed values, otherwise the hub's suggestions. */
export function useCompletion(
  filter: string,
  seen: () => Iterable<CompactCall>,
  db: string | undefined,
): Completion {
  const [caret, setCaret] = useState<number>()
  const [active, setActive] = useState(-1)
  const typed = useMemo(() => (caret === undefined ? undefined : { filter, caret }), [filter, caret])
  const asked = useDebounced(typed, 120)
  const values = useMemo(() => asked && seenValues(asked.filter, asked.caret, seen()), [asked, seen])
  const { data: fromHub, isPlaceholderData } = useQuery({
    queryKey: ['kfl-complete', asked?.filter, asked?.caret, db],
    queryFn: ({ signal }) => hub.completeKfl(asked?.filter ?? '', asked?.caret ?? 0, db, signal),
    enabled: asked !== undefined && values === undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
  })
  const data = values ?? fromHub
  const isFresh = values !== undefined || !isPlaceholderData
  const isCurrent = asked !== undefined && asked === typed && isFresh
  const items = data?.items.slice(0, most) ?? []
  const isOpen = caret !== undefined && data !== undefined && items.length > 0
  return {
    isOpen,
    isCurrent,
    answer: isOpen && data ? { ...data, items } : undefined,
    active: isCurrent ? Math.min(active, items.length - 1) : -1,
    follow: (at) => {
      setCaret(at)
      setActive(-1)
    },
    close: () => {
      setCaret(undefined)
      setActive(-1)
    },
    step: (by) => {
      if (!isCurrent || items.length === 0) return
      setActive((before) => (before + by + items.length + (before < 0 && by < 0 ? 1 : 0)) % items.length)
    },
  }
}
