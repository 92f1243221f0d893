import { access, constants } from 'node:fs/promises'
import type { Workers } from '../cluster/workers.ts'
import type { Switchboard } from '../switch/switchboard.ts'
import type { Page } from './app.ts'

export interface HealthOptions {
  readonly dataFolder: string
  readonly workers: Workers
  readonly switchboard: Switchboard
  /**
   * A worker was started together with this hub: it is not ready before that one came and set its switch, or kept us
   * waiting too long.
   */
  readonly expectsWorker: boolean
  /** A clock that never jumps, in milliseconds. */
  readonly now: () => number
}

const WAIT_FOR_WORKER_MS = 10_000

/** `/healthz`: the process lives. */
export const healthz: Page = () =>
  Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } })

/** `/readyz`: it listens, its storage is there, and the worker it waits for is at work or late. */
export function readyz({ dataFolder, workers, switchboard, expectsWorker, now }: HealthOptions): Page {
  const start = now()
  let came = !expectsWorker
  switchboard.once('applied', () => {
    came = true
  })
  return async () => {
    const storage = await access(dataFolder, constants.W_OK).then(
      () => true,
      () => false,
    )
    const ready = storage && (came || now() - start > WAIT_FOR_WORKER_MS)
    const nodes = workers.connected.map(({ node, report }) => ({ name: node, capture: report.capture }))
    return Response.json(
      { ready, storage, workers: { expected: expectsWorker, connected: nodes.length, nodes } },
      { status: ready ? 200 : 503, headers: { 'cache-control': 'no-store' } },
    )
  }
}
