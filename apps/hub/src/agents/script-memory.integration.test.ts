import { afterEach, beforeAll, expect, it } from 'vitest'
import { Slots } from '../cluster/slots.ts'
import { bundleThread } from '../testing/bundle-thread.ts'
import { until } from '../testing/start-hub.ts'
import { ScriptAction } from './script-action.ts'

let thread: URL
const running: ScriptAction[] = []
beforeAll(async () => {
  thread = new URL('./hub-script.mjs', await bundleThread())
})
afterEach(() => {
  for (const action of running.splice(0)) action.close()
})

const SCRIPTS = 8
const BATCHES = 10
const MIB = 1024 * 1024
/** The documented 32 MiB, and the thread around the interpreter. */
const BYTES_OF_SCRIPT = 48 * MIB
const end = { ip: '10.0.0.1', port: 80 }
const call = { id: 'n/1/1', ts: 1, src: end, dst: end, proto: 'http', path: '/' }

/** Each takes what it can get, without failing: the worst that a script can do. */
it.each([
  ['typed arrays', 'a.push(new Uint8Array(65536).fill(1))'],
  ['small objects', 'a.push({ x: [a.length] })'],
  ['strings', 'a.push(String(a.length).repeat(2000))'],
])('eight scripts that fill their memory with %s stay within the documented limit', async (_, eat) => {
  const source = `const a = []
    function onCall() { try { for (let i = 0; i < 20000; i++) ${eat} } catch { emit({ metric: 'full', value: 1 }) } }`
  const full = new Set<number>()
  const failed: string[] = []
  const threads = new Slots(SCRIPTS)
  const before = process.memoryUsage.rss()
  for (let at = 0; at < SCRIPTS; at++)
    running.push(
      new ScriptAction({
        source,
        thread,
        threads,
        emitted: () => full.add(at),
        failed(reason) {
          failed.push(reason)
          full.add(at)
        },
      }),
    )
  let peak = before
  for (let batch = 1; batch <= BATCHES; batch++) {
    for (const action of running) action.take([call], 0)
    await until(
      () => {
        peak = Math.max(peak, process.memoryUsage.rss())
        return running.every(({ state }) => state.done >= batch || state.failed > 0)
      },
      (done) => done,
    )
  }
  const [was, is] = [before, peak].map((bytes) => Math.round(bytes / MIB))
  console.log(
    `resident memory with ${SCRIPTS} greedy scripts: ${is} MiB, ${was} MiB before; failed: ${failed.length}`,
  )
  expect(full.size).toBe(SCRIPTS)
  for (const reason of failed) expect(reason).toMatch(/bytes of memory|longer than/)
  expect(peak - before).toBeLessThan(SCRIPTS * BYTES_OF_SCRIPT)
})
