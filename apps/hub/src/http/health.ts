import type { Workers } from '../cluster/workers.ts'
import type { Switchboard } from '../switch/switchboard.ts'
import type { Page } from './page.ts'
import { StorageProbe } from './storage-probe.ts'

export interface HealthOptions {
  readonly dataFolder: string
  readonly workers: Workers
  readonly switchboard: Switchboard
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
 * every connected worker records; the reasons are with the nodes. Without recording it is ready, as all else works.
 */
export function readyz(options: HealthOptions): Page {
  const { dataFolder, workers, switchboard, expectsWorker, detailed, now } = options
  const start = now()
  const probe = new StorageProbe(dataFolder, now)
  let came = !expectsWorker
  switchboard.once('applied', () => {
    came = true
  })
  const answer = async () => {
    const storage = await probe.isWritable()
    const ready = storage && (came || now() - start > WAIT_FOR_WORKER_MS)
    const nodes = workers.connected.map(({ node, report }) => ({
      name: node,
      capture: report.capture,
      ...(report.recorder && { recorder: report.recorder }),
    }))
    const recording = nodes.length > 0 && nodes.every(({ recorder }) => recorder?.recording !== false)
    const all = {
      ready,
      storage,
      recording,
      workers: { expected: expectsWorker, connected: nodes.length, nodes },
    }
    return Response.json(detailed() ? all : { ready, storage, recording }, {
      status: ready ? 200 : 503,
      headers: { 'cache-control': 'no-store' },
    })
  }
  return { method: 'GET', path: '/readyz', guard: 'open', answer }
}
