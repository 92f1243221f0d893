import { Problem } from '@tapdeck/api'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { idleReport } from '../testing/fake-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { type AskOptions, Worker } from './worker.ts'

let hub: TestHub
/** Questions that the node has and does not answer yet. */
const held: (() => void)[] = []
let most = 0

beforeAll(async () => {
  hub = await startHub()
  await hub.worker('n1', {
    stats: () =>
      new Promise((resolve) => {
        held.push(() => resolve({ groups: [] }))
        most = Math.max(most, held.length)
      }),
  })
})
afterAll(() => hub?.stop())

it('a node gets few queries at once, the others wait at the hub, and all are answered', async () => {
  const asked = Array.from({ length: 12 }, () => hub.get('/mcp/stats'))
  let answered = 0
  while (answered < asked.length) {
    await expect.poll(() => held.length).toBe(Math.min(4, asked.length - answered))
    held.shift()?.()
    answered++
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
  expect(most).toBe(4)
})

/** A worker whose requests are only noted. */
function silentWorker() {
  const sent: { kind: string; id: number; request?: string }[] = []
  const socket = { send: (text: string) => void sent.push(JSON.parse(text)), terminate: () => {} }
  const worker = new Worker({ kind: 'hello', node: 'n1', version: '0', report: idleReport }, socket)
  const asked = () => sent.filter(({ kind }) => kind === 'request')
  const answer = (id: number) => worker.settle({ kind: 'answer', id, result: { count: 0 } })
  const count = (options: AskOptions = {}) => worker.ask('count', { kfl: '' }, options)
  return { worker, asked, answer, count }
}

it('a query that is cancelled before it is asked or while it waits fails at once, and never reaches the node', async () => {
  const { asked, answer, count } = silentWorker()
  const first = Array.from({ length: 4 }, () => count())
  await vi.waitUntil(() => asked().length === 4)
  const cancel = new AbortController()
  const waiting = count({ signal: cancel.signal })
  const reason = new Problem(503, 'worker_late', 'late')
  cancel.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(count({ signal: cancel.signal })).rejects.toBe(reason)
  await expect(count({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
  const last = count()
  for (const { id } of asked()) answer(id)
  await Promise.all(first)
  await vi.waitUntil(() => asked().length > 4)
  answer(asked().at(-1)!.id)
  await last
  expect(asked()).toHaveLength(5)
})

it('queries that may take long leave turns to the others', async () => {
  const { asked, answer, count } = silentWorker()
  const long = Array.from({ length: 6 }, () => count({ patience: 60_000 }))
  await vi.waitUntil(() => asked().length === 2)
  const short = [count(), count()]
  await vi.waitUntil(() => asked().length === 4)
  for (const { id } of asked().slice(2)) answer(id)
  await Promise.all(short)
  expect(asked()).toHaveLength(4)
  for (let at = 0; at < 8; at++) {
    await vi.waitUntil(() => asked().length > at)
    answer(asked()[at]!.id)
  }
  await Promise.all(long)
})

it('all that waits for a node that has become late tries it at the same time', async () => {
  vi.useFakeTimers()
  try {
    const { worker, asked, count } = silentWorker()
    const all = Promise.allSettled(Array.from({ length: 50 }, () => count()))
    await vi.advanceTimersByTimeAsync(9999)
    expect(asked()).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked()).toHaveLength(50)
    await vi.advanceTimersByTimeAsync(500)
    for (const result of await all) expect(result).toMatchObject({ reason: { code: 'worker_timeout' } })
    expect(worker.pending).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
