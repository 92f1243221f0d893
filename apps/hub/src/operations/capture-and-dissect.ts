import type { EventEmitter } from 'node:events'
import { type OperationInput, type OperationOutput, Problem } from '@tapdeck/api'
import type { Snapshot } from '@tapdeck/recording'
import type { DissectionRecord } from '../dissections/dissection-record.ts'
import { requireKnownProtocol } from '../dissections/require-known-protocol.ts'
import { getDissection, requireAllowedFilter, startDissection } from './dissections.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'
import { requireNameRight } from './require-recording-right.ts'
import { findSuspectsOperation } from './suspects.ts'

type Input = OperationInput<'capture_and_dissect'>
type Output = OperationOutput<'capture_and_dissect'>

/** Each waits for jobs of minutes and holds a request. More are refused. */
const MAX_AT_ONCE = 32
const DEFAULT_DURATION = 5 * 60_000
const DISSECTION = 'calls'
const MAX_SUSPECTS = 5
/** How much of the progress the snapshot is, and the snapshot with the dissection. Percent. */
const SNAPSHOT_SHARE = 40
const DISSECTION_SHARE = 90

let underWay = 0

export const captureAndDissect: Handler<'capture_and_dissect'> = async (input, services, context) => {
  // What is wrong with the second step must be known before the first: it would leave a snapshot behind.
  requireAllowedFilter(input.kfl, services, context.caller)
  if (input.name !== undefined) requireNameRight(input.name, services, context.caller)
  for (const name of input.protocols ?? []) requireKnownProtocol(name)
  if (underWay >= MAX_AT_ONCE)
    throw new Problem(429, 'too_many_captures', `Too many captures under way (max ${MAX_AT_ONCE})`, {
      retry_after: 5,
      hint: 'Wait for one of them, or use create_snapshot and start_snapshot_dissection, which do not wait.',
    })
  underWay++
  try {
    return await run(input, services, context)
  } finally {
    underWay--
  }
}

async function run(input: Input, services: HubServices, context: RequestContext): Promise<Output> {
  const { signal, onProgress = () => {} } = context
  const { kfl, protocols } = input
  const name = input.name ?? freeName(services)
  const snapshot = await takeSnapshot(name, input, services, context)
  try {
    const names = { snapshot_name: name, dissection_name: DISSECTION }
    await startDissection({ ...names, kfl, protocols }, services, context)
    const find = () => services.dissections.list(name).find((one) => one.dissection_name === DISSECTION)
    const record = await settled(services.dissections, signal, `The dissection of "${name}"`, () => {
      const now = find()
      if (now) onProgress(partOf('dissecting', now.progress, SNAPSHOT_SHARE, DISSECTION_SHARE))
      return now
    })
    requireCompleted(record, record.errors.join('; '), name)
  } catch (error) {
    await dropDissection(name, services)
    throw error
  }
  const db = `${name}/${DISSECTION}`
  onProgress({ percent: DISSECTION_SHARE, message: 'looking for causes' })
  const suspects = await findSuspectsOperation(
    { db, kfl: '', limit: MAX_SUSPECTS } as never,
    services,
    context,
  )
  const { status, call_count, flow_count, protocol_counts, loss, errors } = await getDissection(
    { snapshot: name, name: DISSECTION },
    services,
    context,
  )
  return {
    db,
    snapshot: shown(snapshot),
    dissection: { status, call_count, flow_count, protocol_counts, loss, errors },
    suspects: {
      suspects: suspects.suspects,
      summary: suspects.summary,
      baseline_is: suspects.baseline_is,
      omitted: suspects.omitted,
    },
  }
}

/** A snapshot that was cancelled or failed while it was made is deleted. */
async function takeSnapshot(
  name: string,
  { duration, start, end, nodes }: Input,
  { snapshots }: HubServices,
  { signal, onProgress = () => {} }: RequestContext,
): Promise<Snapshot> {
  const isWindow = start !== undefined || end !== undefined
  const window = { duration: isWindow ? undefined : (duration ?? DEFAULT_DURATION), start, end }
  await snapshots.create(name, window, nodes)
  try {
    const made = await settled(snapshots, signal, `The snapshot "${name}"`, () => {
      const now = snapshots.find(name)
      if (now) onProgress(partOf('taking the snapshot', now.progress, 0, SNAPSHOT_SHARE))
      return now
    })
    requireCompleted(made, made.error ?? '', name)
    return made
  } catch (error) {
    if (snapshots.find(name)) await snapshots.remove(name, true).catch(() => {})
    throw error
  }
}

interface Job {
  readonly status: string
}

const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'in_progress', 'running'])

/** Resolves when a job has ended. Rejects when the caller has left, or when the job was deleted. */
function settled<Found extends Job>(
  jobs: EventEmitter<{ change: [] }>,
  signal: AbortSignal,
  what: string,
  find: () => Found | undefined,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      jobs.off('change', look)
      signal.removeEventListener('abort', cancel)
    }
    const cancel = () => {
      leave()
      reject(new Problem(499, 'cancelled', 'The request was cancelled'))
    }
    const look = () => {
      const found = find()
      if (found && UNFINISHED.has(found.status)) return
      leave()
      if (found) resolve(found)
      else
        reject(
          new Problem(409, 'deleted_meanwhile', `${what} was deleted while it was made`, {
            hint: 'Call capture_and_dissect again.',
          }),
        )
    }
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel)
    jobs.on('change', look)
    look()
  })
}

function requireCompleted({ status }: Job, reason: string, name: string): void {
  if (status === 'completed') return
  const why = reason === '' ? '' : `: ${reason.slice(0, 500)}`
  throw new Problem(409, `capture_${status}`, `The capture "${name}" is ${status}${why}`, {
    hint: 'get_data_boundaries says what is recorded.',
  })
}

async function dropDissection(name: string, { dissections }: HubServices): Promise<void> {
  const record = () =>
    dissections.list(name).find((one: DissectionRecord) => one.dissection_name === DISSECTION)
  const found = record()
  if (found && UNFINISHED.has(found.status)) await dissections.stop(name, DISSECTION).catch(() => {})
  if (record()) await dissections.remove(name, DISSECTION).catch(() => {})
}

/** Such as `capture-20260131-120000`. */
function freeName({ snapshots, now }: HubServices): string {
  const [day = '', time = ''] = new Date(now()).toISOString().split('T')
  const base = `capture-${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`
  let name = base
  for (let next = 2; snapshots.find(name); next++) name = `${base}-${next}`
  return name
}

function partOf(message: string, percent: number, from: number, to: number) {
  return { percent: from + Math.floor(((to - from) * percent) / 100), message }
}

function shown(snapshot: Snapshot): Output['snapshot'] {
  const { name, status, start_ts, end_ts, partial, gaps, size_bytes, packet_count, node_count } = snapshot
  const counts = { size_bytes, packet_count, node_count }
  return { name, status, start_ts, end_ts, partial, ...(gaps && { gaps: [...gaps] }), ...counts }
}
