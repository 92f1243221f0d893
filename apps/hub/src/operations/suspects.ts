import type { OperationInput, OperationOutput } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import { askMerged } from '@tapdeck/questions'
import { findSuspects, type Impact, type Observation, type Party, type Suspect } from '@tapdeck/suspects'
import { requireCapability } from '../access/access.ts'
import type { CallSource } from '../query/call-source.ts'
import { baselineOf } from '../query/compared-window.ts'
import { allOf } from '../query/group-filter.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { selectionFilter } from '../query/selection-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { summaryOnce } from '../query/summary-once.ts'
import { answerNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'
import {
  certificatesOf,
  connectionsOf,
  type EvidenceWindow,
  firstChange,
  incidentsOf,
  observe,
} from './suspect-evidence.ts'
import { answersOf, headersOf, lookupsOf, stalledOf, statementsOf, withUses } from './suspect-samples.ts'
import { summaryOf } from './suspect-summary.ts'
import { withTexts } from './suspect-texts.ts'

type Input = OperationInput<'find_suspects'>
type Output = OperationOutput<'find_suspects'>
type Shown = Output['suspects'][number]

const EVIDENCE = 3
/** A connection that carried nothing for so long was idle. Milliseconds. */
const IDLE = 500

interface Windows {
  readonly after: EvidenceWindow
  readonly before?: EvidenceWindow
  readonly baselineIs: Output['baseline_is']
  readonly baselineDb?: string | undefined
}

export const findSuspectsOperation: Handler<'find_suspects'> = async (input, services, context) => {
  const { caller } = context
  const { db, kfl, limit } = input
  requireValidWindow(input)
  compile(kfl, services.catalog, services.now())
  const against = baselineOf(input)
  if (against) requireCapability(caller, [against.db ? 'snapshot:read' : 'dissection:live'])
  const sources = summaryOnce(sourcesOf(db, services, caller))
  const span = await spanOf(sources, input)
  if (span === undefined) return { ...empty(), ...answerNotes(db, services, caller, input) }
  const whole = { sources, kfl, ...span }
  const windows = against
    ? await givenBaseline(whole, against, summaryOnce(sourcesOf(against.db, services, caller)))
    : await ownBaseline(whole)
  const { after, before } = windows
  const { pairs: connections, owners } = await connectionsOf(after, before)
  const observed = await observeAll(after, owners)
  const seen = { ...observed, failures: await withTexts(after, observed.failures) }
  const seenBefore = before && (await observeAll(before, owners))
  const incidents = await incidentsOf(db, after, services, context)
  const certificates = await certificatesOf(whole)
  const found = findSuspects({
    ...(seenBefore && { before: seenBefore }),
    after: seen,
    connections: await withUses(whole, connections),
    incidents,
    certificates,
    statements: await statementsOf(after),
    stalled: await stalledOf(after),
  })
  const shown: Shown[] = []
  for (const [place, suspect] of found.slice(0, limit).entries())
    shown.push(await withEvidence(suspect, place, after))
  return {
    window: sideOf(db, seen),
    ...(seenBefore && { baseline: sideOf(windows.baselineDb ?? db, seenBefore) }),
    baseline_is: windows.baselineIs,
    suspects: shown,
    omitted: Math.max(0, found.length - limit),
    summary: summaryOf(shown, windows.baselineIs, seen),
    ...((seen.isCut || seenBefore?.isCut) && {
      notes: ['There are more groups than were compared: narrow the question with kfl.'],
    }),
    ...answerNotes(db, services, caller, input, await missingOf(sources)),
  }
}

async function observeAll(window: EvidenceWindow, owners: ReadonlyMap<string, string>): Promise<Observation> {
  const seen = await observe(window)
  return {
    ...seen,
    lookups: await lookupsOf(window),
    answers: await answersOf(window, owners),
    headers: await headersOf(window, seen.replicas),
  }
}

async function missingOf(sources: readonly CallSource[]) {
  const asked = new SourceSet(sources)
  await asked.ask('summary', {})
  return asked.missing
}

/** The time that has calls, within what was asked for. */
async function spanOf(sources: readonly CallSource[], { start, end }: Input) {
  const { oldest_ts, newest_ts } = await askMerged(new SourceSet(sources), 'summary', {})
  if (oldest_ts === null || newest_ts === null) return undefined
  const span = { start: Math.max(start ?? 0, oldest_ts), end: Math.min(end ?? newest_ts, newest_ts) }
  return span.start > span.end ? undefined : span
}

async function givenBaseline(
  after: EvidenceWindow,
  against: NonNullable<ReturnType<typeof baselineOf>>,
  sources: readonly CallSource[],
): Promise<Windows> {
  const { oldest_ts, newest_ts } = await askMerged(new SourceSet(sources), 'summary', {})
  if (oldest_ts === null || newest_ts === null) return { after, baselineIs: 'none' }
  const start = Math.max(against.start ?? 0, oldest_ts)
  const end = Math.min(against.end ?? newest_ts, newest_ts)
  if (start > end) return { after, baselineIs: 'none' }
  return { after, before: { ...after, sources, start, end }, baselineIs: 'given', baselineDb: against.db }
}

async function ownBaseline(whole: EvidenceWindow): Promise<Windows> {
  const at = await firstChange(whole)
  if (at === undefined || at <= whole.start) return { after: whole, baselineIs: 'none' }
  return {
    after: { ...whole, start: at },
    // Times are in microseconds: nothing is in both.
    before: { ...whole, end: at - 0.001 },
    baselineIs: 'before_change',
  }
}

async function withEvidence(suspect: Suspect, place: number, window: EvidenceWindow): Promise<Shown> {
  const { explains, explainedBy, victims, selection, began, client, server, against, kind, ...rest } = suspect
  const { impact, comparedWith = 'time_before', isBackground } = rest
  const kfl = selection && selectionFilter(selection)
  const calls = kfl === undefined ? [] : await firstCalls(kfl, window)
  const isBroken = kind === 'connection_failed' || kind === 'unanswered'
  const idle = isBroken ? await idleBefore(calls, window) : []
  const first = calls[0]?.ts ?? began
  return {
    rank: place + 1,
    kind,
    severity: rest.severity,
    what: rest.what,
    ...(impact && { impact: shownImpact(impact) }),
    score: rest.score,
    ...(first !== undefined && { began_at: new Date(first).toISOString() }),
    ...(client && { client: shownParty(client) }),
    ...(server && { server: shownParty(server) }),
    ...(rest.before !== undefined && { before: rest.before }),
    after: rest.after,
    compared_with: comparedWith,
    ...(isBackground && { background: true }),
    ...(kfl !== undefined && { kfl }),
    evidence: calls.map(({ id }) => id),
    ...(idle.length > 0 && { idle_before_ms: idle }),
    against: [...against],
    explains: explains.map((one) => one + 1),
    ...(explainedBy !== undefined && { explained_by: explainedBy + 1 }),
    ...(victims.length > 0 && { victims: victims.map((one) => one + 1) }),
  }
}

/** Its sentence first: tables show the first columns. */
function shownImpact({ text, share, ...impact }: Impact) {
  return { text, ...impact, share: Math.round(share * 1e4) / 1e4 }
}

function shownParty({ name, ns }: Party) {
  return { name, ...(ns !== undefined && { ns }) }
}

interface FoundCall {
  readonly id: string
  readonly ts: number
  readonly latency_ms?: number
}

async function firstCalls(kfl: string, window: EvidenceWindow): Promise<readonly FoundCall[]> {
  const { sources, start, end } = window
  const query = {
    kfl: allOf(window.kfl, kfl),
    limit: EVIDENCE,
    order: 'oldest',
    format: 'compact',
    start,
    end,
  }
  const { calls } = await mergedCalls(sources, query as Parameters<typeof mergedCalls>[1])
  return calls as unknown as readonly FoundCall[]
}

/** How long the connections of these calls had been idle before them. */
async function idleBefore(calls: readonly FoundCall[], { sources }: EvidenceWindow): Promise<number[]> {
  const times = await Promise.all(
    calls.map(async ({ id, ts }) => {
      const flow = id.split('/').at(-2)
      if (flow === undefined || !/^\d+$/.test(flow)) return []
      const query = { kfl: `conn_id == ${flow}`, limit: 1, order: 'newest', format: 'compact' } as const
      const { calls: earlier } = await mergedCalls(sources, { ...query, end: ts - 0.001 })
      const [last] = earlier as unknown as readonly FoundCall[]
      return last === undefined ? [] : Math.round(ts - last.ts - (last.latency_ms ?? 0))
    }),
  )
  return times.flat().filter((ms) => ms >= IDLE)
}

function sideOf(db: string | undefined, { from, to, edges }: Observation): Output['window'] {
  return {
    ...(db !== undefined && { db }),
    start_at: new Date(from).toISOString(),
    end_at: new Date(to).toISOString(),
    seconds: (to - from) / 1000,
    calls: edges.reduce((sum, { calls }) => sum + calls, 0),
  }
}

function empty(): Output {
  return {
    window: { start_at: null, end_at: null, seconds: 0, calls: 0 },
    baseline_is: 'none',
    suspects: [],
    omitted: 0,
    summary: 'There are no calls in this window. get_data_boundaries and list_databases say what there is.',
  }
}
