import type { Coverage } from '../cluster/coverage.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Unsaved } from '../state/unsaved.ts'
import type { Switchboard } from '../switch/switchboard.ts'
import type { Page } from './page.ts'
import { StorageProbe } from './storage-probe.ts'

export interface HealthOptions {
  readonly dataFolder: string
  readonly workers: Workers
  readonly coverage: Coverage
  /** Whether it is known which nodes should have a worker. */
  readonly knowsNodes: () => boolean
  readonly switchboard: Switchboard
  readonly unsaved: Unsaved
  /**
   * A worker was started together with this hub: it is not ready before that one came and set its switch, or kept us
   * waiting too long.
   */
  readonly expectsWorker: boolean
  /** Whether any client may read which nodes there are; a probe needs no more than the status. */
  readonly detailed: () => boolean
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number
}

const WAIT_FOR_WORKER_MS = 10_000

/** `/healthz`: the process lives. */
export const healthz: Page = {
  method: 'GET',
  path: '/healthz',
  guard: 'open',
  answer: () => Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } }),
}

/**
 * `/readyz`: it listens, its storage takes files, and the worker it waits for is at work or late. `recording` says whether
 * every node that should have a worker has one that records; the reasons are with the nodes. Without recording it is ready, as all else works. `saved`
 * says whether hub and workers can write what answers say of missing data; without that of the hub it is not ready.
 */
export function readyz(options: HealthOptions): Page {
  const { dataFolder, workers, coverage, knowsNodes, switchboard, unsaved, expectsWorker, detailed, now } =
    options
  const start = now()
  const probe = new StorageProbe(dataFolder, now)
  let came = !expectsWorker
  switchboard.once('applied', () => {
    came = true
  })
  const answer = async () => {
    const storage = await probe.isWritable()
    const ready = storage && unsaved.all.length === 0 && (came || now() - start > WAIT_FOR_WORKER_MS)
    const nodes = workers.connected.map(({ node, report }) => ({
      name: node,
      capture: report.capture,
      ...(report.recorder && { recorder: report.recorder }),
      ...(report.not_saved && { not_saved: report.not_saved }),
    }))
    const { missing, excluded } = coverage
    const recording =
      nodes.length > 0 &&
      knowsNodes() &&
      missing.length === 0 &&
      nodes.every(({ recorder }) => recorder?.recording !== false)
    const saved = unsaved.all.length === 0 && nodes.every(({ not_saved }) => not_saved === undefined)
    const all = {
      ready,
      storage,
      recording,
      saved,
      ...(unsaved.all.length > 0 && { not_saved: unsaved.all }),
      workers: { expected: expectsWorker, connected: nodes.length, nodes },
      ...(missing.length > 0 && { missing_nodes: missing }),
      ...(excluded.length > 0 && { excluded_nodes: excluded }),
    }
    return Response.json(detailed() ? all : { ready, storage, recording, saved }, {
      status: ready ? 200 : 503,
      headers: { 'cache-control': 'no-store' },
    })
  }
  return { method: 'GET', path: '/readyz', guard: 'open', answer }
}
