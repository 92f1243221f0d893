import { keepPreviousData, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { isMoving, queryWindow, type TimePlace } from '../time/query-window.ts'
import { spanMs, type TimeWindow } from '../time/time-window.ts'
import type { OperationParameters } from './call-operation.ts'
import { type Dissection, hub, type Recording, type Snapshot, type StatsQuestion } from './hub.ts'
import { hubNow } from './hub-clock.ts'
import { HubProblem } from './hub-problem.ts'

/** Poll interval of lists: short while something is running; otherwise the stream reports changes. */
const movingMs = 1000
const restingMs = 15_000

export function useWhoami() {
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => hub.whoami(signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, problem) => !(problem instanceof HubProblem && problem.status >= 400 && problem.status < 500),
  })
}

export function useSnapshots(enabled = true) {
  return useQuery({
    queryKey: ['snapshots'],
    queryFn: ({ signal }) => hub.snapshots(signal),
    select: (page) => page.snapshots,
    enabled,
    refetchInterval: (query) => (query.state.data?.snapshots.some(isBeingMade) ? movingMs : restingMs),
  })
}

export function useDissections(enabled = true) {
  return useQuery({
    queryKey: ['dissections'],
    queryFn: ({ signal }) => hub.dissections(signal),
    select: (page) => page.dissections,
    enabled,
    refetchInterval: (query) => (query.state.data?.dissections.some(isRunning) ? movingMs : restingMs),
  })
}

export function useRecordings() {
  return useQuery({
    queryKey: ['recordings'],
    queryFn: ({ signal }) => hub.recordings(signal),
    select: (page) => page.recordings,
    refetchInterval: (query) => (query.state.data?.recordings.some(isUnderWay) ? movingMs : restingMs),
  })
}

export function useAgents(enabled: boolean) {
  return useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => hub.agents(signal),
    select: (page) => page.agents,
    enabled,
    refetchInterval: 2 * movingMs,
  })
}

export function useBoundaries(enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['boundaries'],
    queryFn: ({ signal }) => hub.boundaries(signal),
    refetchInterval: 5000,
  })
}

/** The figures move only where calls still come. */
export function useStats(question: TimePlace & Pick<StatsQuestion, 'kfl' | 'by'>, enabled: boolean) {
  const { db, kfl, by } = question
  return useQuery({
    queryKey: ['stats', question],
    queryFn: ({ signal }) => hub.stats({ db, kfl, by, ...queryWindow(question, hubNow()) }, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: isMoving(question) ? 5000 : false,
  })
}

/** As many as the index divides a window into at most. */
const MAX_BUCKETS = 120
/** A query takes at most this part of the time. */
const SHARE = 1 / 10

/** Calls in buckets of time, with the window that they are of. A window that ends now moves with the clock. */
export function useCallsOverTime(question: TimePlace & { kfl: string }, enabled: boolean) {
  const { db, kfl, last } = question
  return useQuery({
    queryKey: ['over-time', question],
    queryFn: async ({ signal }) => {
      const asked = performance.now()
      const window = queryWindow(question, hubNow())
      const page = await hub.stats({ db, kfl, by: 'time', limit: MAX_BUCKETS, ...window }, signal)
      return { page, window, tookMs: performance.now() - asked }
    },
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: (query) =>
      isMoving(question) &&
      Math.max(spanMs(last) / MAX_BUCKETS, 2500, (query.state.data?.tookMs ?? 0) / SHARE),
  })
}

export function useFlows(place: TimePlace, enabled: boolean) {
  return useQuery({
    queryKey: ['flows', place],
    queryFn: ({ signal }) => hub.flows({ db: place.db, ...queryWindow(place, hubNow()) }, signal),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: isMoving(place) ? 5000 : false,
  })
}

export function useEvents(
  question: TimePlace & { kind: 'cluster' | 'os' | undefined; type?: string; name: string },
  enabled: boolean,
) {
  const { db, kind, type, name } = question
  return useInfiniteQuery({
    queryKey: ['events', question],
    queryFn: async ({ signal, pageParam }) => {
      const window = queryWindow(question, hubNow())
      const wanted = { db, kind, type, name, cursor: pageParam, limit: 300 }
      return { page: await hub.events({ ...wanted, ...window }, signal), window }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    // A user who has loaded older events reads them: they must not move.
    refetchInterval: (query) => isMoving(question) && (query.state.data?.pages.length ?? 0) <= 1 && 5000,
  })
}

export interface MapQuestion extends TimePlace {
  readonly kfl: string
  readonly level: NonNullable<OperationParameters<'get_topology'>['by']>
  /** With the time before, of the same length. */
  readonly compare: boolean
}

export function useTopology(question: MapQuestion, enabled: boolean) {
  const { db, kfl, level, compare } = question
  return useQuery({
    queryKey: ['topology', question],
    queryFn: ({ signal }) => {
      const window = queryWindow(question, hubNow())
      const before = compare ? windowBefore(window) : {}
      return hub.topology({ db, kfl, by: level, limit: 1000, ...window, ...before }, signal)
    },
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: isMoving(question) ? 5000 : false,
  })
}

export function useDiff(a_db: string, b_db: string, enabled: boolean) {
  return useQuery({
    queryKey: ['diff', a_db, b_db],
    queryFn: ({ signal }) => hub.diff({ a_db, b_db, limit: 50 }, signal),
    staleTime: 60_000,
    enabled,
  })
}

/** Suspects of a window that moves are looked for again after so long; and not before ten times what the last search took. */
const SUSPECTS_EVERY_MS = 20_000

export function useSuspects(
  question: TimePlace & { readonly kfl: string; readonly baseline: 'change' | 'before' },
  enabled: boolean,
) {
  const { db, kfl, baseline } = question
  return useQuery({
    queryKey: ['suspects', question],
    queryFn: async ({ signal }) => {
      const asked = performance.now()
      const window = queryWindow(question, hubNow())
      const before = baseline === 'before' ? windowBefore(window) : {}
      const found = await hub.suspects({ db, kfl, limit: 20, ...window, ...before }, signal)
      return { found, window, tookMs: performance.now() - asked }
    },
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: (query) =>
      isMoving(question) && Math.max(SUSPECTS_EVERY_MS, (query.state.data?.tookMs ?? 0) / SHARE),
  })
}

/** A dissection that is looked at as a whole has no time before. */
function windowBefore({ start, end }: Partial<TimeWindow>) {
  if (start === undefined || end === undefined) return {}
  return { baseline_start: start - (end - start), baseline_end: start }
}

export function useStatus() {
  return useQuery({
    queryKey: ['hub-status'],
    queryFn: ({ signal }) => hub.status(signal),
    refetchInterval: restingMs,
  })
}

export function useKflFields() {
  return useQuery({
    queryKey: ['kfl-fields'],
    queryFn: ({ signal }) => hub.kflFields(signal),
    select: (answer) => answer.fields,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Filters that callers share. */
export function useSavedFilters() {
  return useQuery({
    queryKey: ['saved-filters'],
    queryFn: ({ signal }) => hub.savedFilters(signal),
    select: (answer) => answer.filters,
  })
}

export function checkOptions(kfl: string) {
  return queryOptions({
    queryKey: ['kfl-check', kfl],
    queryFn: ({ signal }) => hub.checkKfl(kfl, signal),
    staleTime: 60_000,
    gcTime: 60_000,
  })
}

export function useKflCheck(kfl: string) {
  return useQuery({ ...checkOptions(kfl), enabled: kfl.trim() !== '' })
}

export function useCall(id: string, db: string | undefined) {
  return useQuery({
    queryKey: ['call', db ?? '', id],
    queryFn: ({ signal }) => hub.call(id, db, signal),
    placeholderData: keepPreviousData,
    // The newest calls may not be readable yet when their row is clicked: the index makes them visible in batches.
    retry: (count, problem) =>
      db === undefined && count < 3 && problem instanceof HubProblem && problem.status === 404,
    retryDelay: 700,
    staleTime: 60_000,
    gcTime: 60_000,
  })
}

/** What happened around a call. The recording ring has no index to search for it. */
export function useExplanation(id: string, db: string | undefined) {
  return useQuery({
    queryKey: ['explanation', db ?? '', id],
    queryFn: ({ signal }) => hub.explainCall(id, db, signal),
    enabled: db !== 'recording',
    staleTime: 60_000,
    gcTime: 60_000,
  })
}

const MAX_CONNECTION_CALLS = 100

/** The calls of one connection, oldest first. */
export function useConnectionCalls(connection: unknown, db: string | undefined) {
  return useQuery({
    queryKey: ['connection-calls', db ?? '', connection],
    queryFn: ({ signal }) =>
      hub.calls(
        { db, kfl: `conn_id == ${Number(connection)}`, limit: MAX_CONNECTION_CALLS, order: 'oldest' },
        signal,
      ),
    enabled: db !== 'recording' && connection !== undefined,
    staleTime: 5000,
    gcTime: 60_000,
  })
}

export function isBeingMade(snapshot: Snapshot): boolean {
  return snapshot.status === 'pending' || snapshot.status === 'in_progress'
}

export function isRunning(dissection: Dissection): boolean {
  return dissection.status === 'pending' || dissection.status === 'running'
}

/** It runs, or becomes a database. */
function isUnderWay({ status, db_status }: Recording): boolean {
  return status === 'running' || db_status === 'pending' || db_status === 'running'
}
