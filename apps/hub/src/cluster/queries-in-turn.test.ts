import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'

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

it('a query that is cancelled while it waits never reaches the node', async () => {
  const first = Array.from({ length: 4 }, () => hub.get('/mcp/stats'))
  await expect.poll(() => held.length).toBe(4)
  const cancel = new AbortController()
  const waiting = fetch(`http://127.0.0.1:${hub.port}/mcp/stats`, { signal: cancel.signal })
  cancel.abort()
  await expect(waiting).rejects.toThrow()
  const next = hub.get('/mcp/stats')
  for (const answer of held.splice(0)) answer()
  await Promise.all(first)
  await expect.poll(() => held.length).toBeGreaterThan(0)
  for (const answer of held.splice(0)) answer()
  expect((await next).status).toBe(200)
})
