import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ShardPool, type ShardPoolOptions } from './shard-pool.ts'
import type { CountingOrders } from './testing/counting-thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-shards-'))
const outfile = join(folder, 'counting.mjs')
let pool: ShardPool | undefined

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'testing/counting-thread.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  }),
)
afterEach(() => pool?.stop())
afterAll(() => rmSync(folder, { recursive: true }))

/** Three threads. */
function start(
  data: CountingOrders,
  take: ShardPoolOptions['take'] = (_result, _shard, release) => release(),
): ShardPool {
  const shards = [0, 1, 2].map((index) => ({ index, count: 3 }))
  pool = new ShardPool({
    shards,
    entry: pathToFileURL(outfile),
    data,
    take,
    ...(data.waits && { stopTimeout: 10_000 }),
  })
  return pool
}

/** A source of so many chunks that each count up to 200. */
async function* chunks(times: number): AsyncGenerator<Uint8Array> {
  for (let time = 0; time < times; time++) yield Uint8Array.from({ length: 200 }, (_, i) => i)
}

/** Shares a source, and reads it itself. */
async function share(to: ShardPool, source: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const chunk of to.share(source)) bytes += chunk.length
  return bytes
}

test('shared chunks reach each thread, and the caller', async () => {
  const seen: number[][] = [[], [], []]
  const running = start({}, (result, shard, release) => {
    seen[shard]!.push(result as number)
    release()
  })
  expect(await share(running, chunks(20))).toBe(4000)
  expect(await running.end()).toEqual([1340, 1340, 1320])
  for (const [index, numbers] of seen.entries())
    expect(numbers.slice(0, 3)).toEqual([index, index + 3, index + 6])
})

test('a chunk may be larger than what is shared at once', async () => {
  const running = start({})
  const large = new Uint8Array(3_000_000).fill(254)
  large.fill(1, 0, 20)
  large.fill(2, 2_999_990)
  async function* one(): AsyncGenerator<Uint8Array> {
    yield large
  }
  await share(running, one())
  expect(await running.end()).toEqual([0, 20, 10])
})

test('a source that a thread leaves early is over for it, and the next one begins at its beginning', async () => {
  const running = start({ sources: 2 })
  async function* left(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 30; i++) yield Uint8Array.of(i === 0 ? 255 : 1)
  }
  await share(running, left())
  await share(running, chunks(1))
  expect(await running.end()).toEqual([67, 67, 66])
})

test.each([
  ['throws', 'throw', 'out of luck'],
  ['ends', 'exit', 'a dissecting thread ended with status 3'],
] as const)('a thread that %s rejects `share` with the reason', async (_, failure, reason) => {
  const running = start({ failAt: 5, failure })
  await expect(share(running, chunks(1e9))).rejects.toThrow(reason)
  await expect(running.end()).rejects.toThrow(reason)
})

test('a thread that throws rejects `accompany`', async () => {
  const running = start({ failAt: 1, failure: 'throw' })
  await share(running, chunks(1))
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield await new Promise((resolve) => setImmediate(resolve, new Uint8Array(1)))
  }
  const reading = async () => {
    for await (const _ of running.accompany(endless()));
  }
  await expect(reading()).rejects.toThrow('out of luck')
})

test('what the taker throws fails the run', async () => {
  const running = start({}, () => {
    throw new Error('no room')
  })
  await expect(share(running, chunks(50)).then(() => running.end())).rejects.toThrow('no room')
})

test('threads that are stopped end, also while they wait for their results to be taken', async () => {
  let taken = 0
  const running = start({ weight: 8 << 20 }, () => {
    taken++
    return new Promise(() => undefined)
  })
  await share(running, chunks(1))
  const ending = running.end()
  ending.catch(() => undefined)
  while (taken === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await running.stop()
  await expect(ending).rejects.toThrow('stopped')
  expect(taken).toBe(1)
})

test('a thread waits while too much that it found is not released', async () => {
  const held: (() => void)[] = []
  let most = 0
  const running = start({ weight: 4 << 20 }, (_result, _shard, release) => {
    most = Math.max(most, held.push(release))
  })
  await share(running, chunks(1))
  const ending = running.end()
  // Each of three has 16 MB under way, and one more that is too much.
  while (held.length < 15) await new Promise((resolve) => setTimeout(resolve, 5))
  const releasing = setInterval(() => held.shift()?.(), 1)
  expect(await ending).toEqual([67, 67, 66])
  clearInterval(releasing)
  expect(most).toBe(15)
})

test('threads answer what they are asked, and stay until they are dismissed', async () => {
  const running = start({ waits: true })
  await share(running, chunks(20))
  await running.idle()
  expect(await running.ask('how many?')).toEqual([
    { question: 'how many?', shard: 0, count: 1340 },
    { question: 'how many?', shard: 1, count: 1340 },
    { question: 'how many?', shard: 2, count: 1320 },
  ])
  running.dismiss()
  expect(await running.end()).toEqual([1340, 1340, 1320])
})

test('threads that hold more than memory end by themselves when they are stopped', async () => {
  const running = start({ waits: true })
  await share(running, chunks(1))
  await running.idle()
  await running.stop()
  expect(await running.statuses).toEqual([17, 17, 17])
})

test('threads that hold nothing yet are not waited for when they are stopped', async () => {
  const running = start({ waits: true, free: true })
  await share(running, chunks(1))
  await running.idle()
  await running.stop()
  expect(await running.statuses).toEqual([1, 1, 1])
  const young = start({ waits: true })
  await young.stop()
  expect(await young.statuses).toHaveLength(3)
})

test('where not all threads can be started, none of them stays', async () => {
  let started = 0
  const data = {
    waits: true,
    get weight() {
      if (started++ > 0) throw new Error('no more threads')
      return 1
    },
  }
  const first = once(process, 'worker') as Promise<[Worker]>
  expect(() => start(data)).toThrow('a thread could not be started: no more threads')
  const [thread] = await first
  await once(thread, 'exit')
})

test('a question to threads that fall over fails with their reason', async () => {
  const running = start({ failAt: 3, failure: 'throw' })
  const sharing = share(running, chunks(20)).catch(() => undefined)
  await expect(running.end()).rejects.toThrow('out of luck')
  await expect(running.ask('well?')).rejects.toThrow('out of luck')
  await sharing
})
