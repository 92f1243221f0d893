import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** The socket that the hub itself is built with. */
const { WebSocket } = createRequire(new URL('../../apps/hub/package.json', import.meta.url))(
  'ws',
) as typeof import('ws')
type Socket = InstanceType<typeof WebSocket>

/**
 * A crowd of dashboards: most have paused, some stream. How long a turn of the switch takes to reach the last of them is
 * printed, and so is the memory; that it reaches each of them is asserted. TAPDECK_HOLD_SECONDS holds them longer.
 */
const IDLE = 2000
const STREAMING = 200
const HOLD_SECONDS = Number(process.env.TAPDECK_HOLD_SECONDS ?? 5)
const MB = 1024 * 1024

let tapdeck: RunningTapdeck
beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.capture.dissection.stopAfter=0'])
})
afterAll(() => tapdeck?.stop())

test('a turn of the switch reaches every one of 2,200 dashboards', async () => {
  const before = tapdeck.hubMemory()
  const states = new Map<Socket, { enabled: boolean; at: number }>()
  const sockets: Socket[] = []
  const connect = async (paused: boolean) => {
    const socket = new WebSocket(`ws://127.0.0.1:${tapdeck.port}/api/stream${paused ? '?paused=1' : ''}`)
    sockets.push(socket)
    socket.on('message', (data) => {
      const text = String(data)
      if (!text.startsWith('{"kind":"switch"')) return
      const { enabled } = (JSON.parse(text) as { state: { enabled: boolean } }).state
      if (states.get(socket)?.enabled !== enabled) states.set(socket, { enabled, at: performance.now() })
    })
    await once(socket, 'open')
  }
  try {
    for (let first = 0; first < IDLE + STREAMING; first += 100)
      await Promise.all(Array.from({ length: 100 }, (_, at) => connect(first + at < IDLE)))
    const waits: number[] = []
    for (let second = 0; second < HOLD_SECONDS; second++) {
      const started = performance.now()
      await tapdeck.get('/api/dissection')
      waits.push(performance.now() - started)
      await sleep(1000)
    }
    const seen: number[] = []
    for (const on of [false, true, false]) {
      const started = performance.now()
      await tapdeck.post(`/api/dissection/${on ? 'enable' : 'disable'}`)
      while ([...states.values()].some(({ enabled }) => enabled !== on) || states.size < sockets.length)
        await sleep(10)
      seen.push(Math.round(Math.max(...[...states.values()].map(({ at }) => at)) - started))
    }
    const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length
    console.log(
      `${open} dashboards for ${HOLD_SECONDS} s: the last saw a turn after ${seen.join(', ')} ms; a request took at most ${Math.round(Math.max(...waits))} ms; hub ${Math.round(before / MB)} MB before, ${Math.round(tapdeck.hubMemory() / MB)} MB with them`,
    )
    expect(open).toBe(IDLE + STREAMING)
    expect(tapdeck.hubMemory() - before).toBeLessThan(400 * MB)
  } finally {
    for (const socket of sockets) socket.terminate()
  }
})
