import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { udpFrame } from '@tapdeck/wire/testing'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Crew } from './crew.ts'
import type { CountingOrders } from './testing/counting-thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-crew-'))
const outfile = join(folder, 'counting.mjs')
let crew: Crew | undefined

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'testing/counting-thread.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  }),
)
afterEach(() => crew?.stop())
afterAll(() => rmSync(folder, { recursive: true }))

/** Datagrams of so many flows, each ending in its own number below 256. */
function packets(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) =>
    udpFrame({
      src: `10.0.0.${i % 20}`,
      sport: 1000 + (i % 20),
      dst: '10.0.1.1',
      dport: 53,
      payload: new Uint8Array(100).fill(i),
    }),
  )
}

function start(
  orders: CountingOrders,
  take: (result: unknown, shard: number) => void | Promise<void> = () => undefined,
): Crew {
  crew = new Crew({ threads: 3, entry: pathToFileURL(outfile), data: orders, take })
  return crew
}

async function feed(to: Crew, frames: readonly Uint8Array[], times = 1): Promise<void> {
  const whole = Buffer.concat(frames)
  for (let time = 0; time < times; time++)
    await to.feed(new Uint8Array(whole), (bytes) => {
      let at = 0
      for (const { length } of frames) {
        to.dealer.packet(bytes, at, at + length, length, time + 1, 1)
        at += length
      }
    })
}

test('each packet comes to one thread, those of a flow to the same, in their order', async () => {
  const seen: number[][] = [[], [], []]
  const running = start({}, (result, shard) => void seen[shard]!.push(result as number))
  await feed(running, packets(200))
  const counts = await running.end()
  expect(counts).toEqual(seen.map(({ length }) => length))
  expect(seen.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i))
  for (const numbers of seen) expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(counts.every((count) => (count as number) < 200)).toBe(true)
})

test.each([
  ['throws', 'throw', 'out of luck'],
  ['ends', 'exit', 'a dissecting thread ended with status 3'],
] as const)('a thread that %s fails whoever feeds it, with the reason', async (_, failure, reason) => {
  const running = start({ failAt: 5, failure })
  await expect(feed(running, packets(200), 200).then(() => running.end())).rejects.toThrow(reason)
})

test('what the taker throws fails the run', async () => {
  const running = start({}, () => {
    throw new Error('no room')
  })
  await expect(feed(running, packets(50), 200).then(() => running.end())).rejects.toThrow('no room')
})

test('threads that are stopped end, also while they wait for their results to be taken', async () => {
  let taken = 0
  const running = start({ weight: 8 << 20 }, () => {
    taken++
    return new Promise(() => undefined)
  })
  await feed(running, packets(200))
  const ending = running.end()
  ending.catch(() => undefined)
  while (taken === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await running.stop()
  await expect(ending).rejects.toThrow('stopped')
  expect(taken).toBe(1)
})

test('threads wait while nobody takes what they found', async () => {
  let underway = 0
  let most = 0
  let release: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    release = resolve
  })
  const running = start({ weight: 4 << 20 }, async () => {
    most = Math.max(most, ++underway)
    await opened
    underway--
  })
  await feed(running, packets(100))
  const ending = running.end()
  setTimeout(release, 50)
  expect((await ending).reduce<number>((sum, count) => sum + (count as number), 0)).toBe(100)
  expect(most).toBe(1)
})
