import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Dissection } from '@tapdeck/dissect'
import { CaptureReader, chunkMemory } from '@tapdeck/wire'
import { threadFastPaths } from '../packages/dissect/src/accelerated/fast-paths.ts'
import { CaptureFile } from './peers/capture-file.ts'
import { keepAlive } from './peers/http-workload.ts'
import { BODY, PackedCalls } from './peers/packed-calls.ts'

/*
 * Processor time of a dissection with and without each WebAssembly fast path: HTTP on kept connections, calls packed as the
 * index takes them. Variants take turns; the best round counts. Pin it: `taskset -c 1 npm run bench fast-paths`.
 * TAPDECK_BENCH_MB, default 40; TAPDECK_BENCH_ROUNDS, default 5.
 */
const MB = Number(process.env.TAPDECK_BENCH_MB ?? 40)
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 5)
const CHUNK = 256 * 1024

const folder = mkdtempSync(join(tmpdir(), 'fast-paths-'))
const path = join(folder, 'http.pcap')
const file = new CaptureFile(path)
keepAlive.write(file, MB * 1e6)
file.close()
const bytes = readFileSync(path)
rmSync(folder, { recursive: true })

/** Without one path: its entry says that the full code must do the work. */
const variants: Readonly<Record<string, () => () => void>> = {
  'all fast paths': () => () => undefined,
  'without quick-heads': () => replaced(threadFastPaths.heads, 'read', () => 0),
  'all fast paths, one of two shards': () => () => undefined,
  'without foreign-packets, one of two shards': () =>
    replaced(Dissection.prototype, 'dropsForeignPackets', false),
}

/** Sets a member until the returned function is called. */
function replaced(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value, configurable: true })
  return () => {
    if (before === undefined) Reflect.deleteProperty(target, name)
    else Object.defineProperty(target, name, before)
  }
}

const packed = new PackedCalls()

function run(name: string): number {
  const shard = name.includes('shards') ? { index: 0, count: 2 } : undefined
  const dissection = new Dissection({
    limits: { body: BODY },
    emit: (call) => packed.add(call),
    ...(shard && { shard }),
  })
  const start = process.cpuUsage()
  const reader = new CaptureReader(dissection, {})
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const size = Math.min(CHUNK, bytes.length - at)
    const chunk = shard ? chunkMemory.borrowReadBuffer() : new Uint8Array(CHUNK)
    chunk.set(bytes.subarray(at, at + size))
    reader.push(chunk.subarray(0, size), true)
  }
  reader.end()
  dissection.end()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const best = new Map<string, number>()
for (let round = 0; round < ROUNDS; round++)
  for (const [name, change] of Object.entries(variants)) {
    const restore = change()
    const took = run(name)
    restore()
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, took))
  }
for (const [name, took] of best) console.log(`${name.padEnd(46)} ${took.toFixed(0).padStart(6)} ms`)
