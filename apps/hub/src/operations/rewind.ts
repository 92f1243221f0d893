import { type OperationOutput, Problem, type RewindCost, type shapes } from '@tapdeck/api'
import type { Filter } from '@tapdeck/kfl'
import type { z } from 'zod'
import { scopeOf } from '../access/scope.ts'
import { seesDecrypted } from '../access/visibility.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { missingWindow } from '../query/missing-window.ts'
import { ownedSources } from '../query/owned-source.ts'
import { type RecordingWindow, RewindCosts, recordingSource } from '../query/recording-source.ts'
import { whyNothingRecorded } from '../query/why-nothing-recorded.ts'
import { certaintyOf, noteMissingNodes, shownIncomplete } from './answer-notes.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'
import { shownTo } from './shown-to.ts'

/** The `db` that stands for what the nodes have recorded. */
export const RECORDING = 'recording'
const USUAL_MS = 5 * 60_000
/** Clocks of nodes may be a little ahead. */
const SOON_MS = 60_000

type ListInput = Parameters<Handler<'list_api_calls'>>[0]
type CallInput = Pick<Parameters<Handler<'get_api_call'>>[0], 'id' | 'start' | 'end'>

/** Calls straight out of the recordings of all nodes. Whether indexing is on does not matter, and does not change. */
export async function rewindCalls(
  input: ListInput,
  filter: Filter,
  services: HubServices,
  { caller, signal }: RequestContext,
): Promise<z.input<typeof shapes.callPage>> {
  const { start, end = services.now() + 1, ...query } = input
  const window: RecordingWindow = { start: start ?? Math.max(0, end - USUAL_MS), end }
  const costs = new RewindCosts()
  const workers = services.workers.choose()
  const recordings = workers.map((worker) => recordingSource(worker, window, costs, signal))
  const gaps = services.coverage.missedByRecording(window)
  const losses = services.recordingLosses.within(window.start, window.end)
  const incomplete = shownIncomplete(gaps, losses, caller)
  const sources = shownTo(
    caller,
    ownedSources(recordings, gaps, (nodes) => services.directory.isSettled(nodes)),
    services,
  )
  const { calls, missing, ...page } = await mergedCalls(sources, {
    ...query,
    ...window,
  })
  const notes = noteMissingNodes(missing, gaps)
  const narrowed = scopeOf(caller) !== undefined
  const empty = calls.length === 0 && query.cursor === undefined && !page.truncated
  return {
    ...page,
    calls: calls as z.input<typeof shapes.call>[],
    ...notes,
    total_is: certaintyOf(page.total_is, notes),
    ...(incomplete.length > 0 && { incomplete }),
    // The cost reveals how much traffic the caller may not see.
    ...(!narrowed && { rewind: summed(costs.all) }),
    ...(empty && {
      why_empty: whyNothingRecorded({
        reports: workers.map(({ report }) => report),
        costs: costs.all,
        filter,
        window,
        // Names of protocols inside TLS are for those who may look inside.
        narrowed: narrowed || !seesDecrypted(caller),
        missing: missingWindow(
          gaps,
          workers.map(({ node }) => node),
          window,
          services.now(),
        ),
      }),
    }),
  }
}

export async function rewindCall(
  { id, start = 0, end }: CallInput,
  node: string,
  services: HubServices,
  { caller, signal }: RequestContext,
): Promise<z.input<typeof shapes.call>> {
  const costs = new RewindCosts()
  const worker = services.workers.choose().find((one) => one.node === node)
  const recordings = worker
    ? [recordingSource(worker, { start, end: end ?? services.now() + SOON_MS }, costs, signal)]
    : []
  const [source] = shownTo(caller, recordings, services)
  const answer = await source?.ask('call', { id })
  if (answer?.call) return answer.call as z.input<typeof shapes.call>
  throw new Problem(404, 'unknown_call', `No call with id "${id.slice(0, 100)}" in the recording`, {
    hint: costs.incomplete
      ? 'The search stopped before the whole recording was read: pass start and end around the start of its connection.'
      : 'The first packet of its connection is no longer in the recording, or its node is not connected.',
  })
}

function summed(costs: readonly RewindCost[]): NonNullable<OperationOutput<'list_api_calls'>['rewind']> {
  const sum = (of: (cost: RewindCost) => number) => costs.reduce((total, cost) => total + of(cost), 0)
  const any = costs.length > 0
  return {
    read_bytes: sum(({ read_bytes }) => read_bytes),
    window_bytes: sum(({ window_bytes }) => window_bytes),
    packets: sum(({ packets }) => packets),
    elapsed_ms: Math.max(0, ...costs.map(({ elapsed_ms }) => elapsed_ms)),
    searched_from: any ? instant(Math.max(...costs.map(({ searched_from }) => searched_from))) : null,
    searched_to: any ? instant(Math.min(...costs.map(({ searched_to }) => searched_to))) : null,
  }
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
