import { spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everything, inFolder } from '../contract/check.ts'
import { bodyOf, podOf } from '../testing/crash-body.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { ROWS_A_COMMIT } from './chunk-writer.ts'
import { openIndex } from './open-index.ts'

const scripts = mkdtempSync(join(tmpdir(), 'tapdeck-crash-'))
const script = join(scripts, 'crash-writer.cjs')
const modules = createRequire(import.meta.url)
  .resolve('@duckdb/node-api')
  .replace(/@duckdb[\\/]node-api.*/, '')

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../testing/crash-writer.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['@duckdb/node-api'],
  })
})

afterAll(() => rmSync(scripts, { recursive: true }))

interface Run {
  readonly first?: number
  readonly flushes: number
  /** Milliseconds from the last of the flushes to the kill. */
  readonly delay?: number
  readonly meanwhile?: () => Promise<void>
  readonly each?: number
  readonly hashes?: number
}

/** Lets the writer run for a number of flushes and some more, and kills it. Returns what it promised last. */
function writeAndKill(
  folder: string,
  { first = 0, flushes, delay = 0, meanwhile = async () => {}, each = 700, hashes = 60 }: Run,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, folder, String(first), String(each), String(hashes)], {
      env: { ...process.env, NODE_PATH: modules },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    let killing = false
    child.stdout.on('data', (data) => {
      said += data
      if (said.split('\n').length <= flushes || killing) return
      killing = true
      meanwhile()
        .catch(reject)
        .finally(() => setTimeout(() => child.kill('SIGKILL'), delay))
    })
    child.on('error', reject)
    child.on('close', (_, signal) => {
      const promised = Number(said.trim().split('\n').at(-1))
      if (signal === 'SIGKILL') resolve(promised)
      else reject(new Error(`The writer ended by itself after ${said}`))
    })
  })
}

describe('after kill -9', () => {
  it('has every call that was flushed, and goes on', () =>
    inFolder(openIndex, async (open, folder) => {
      let first = 0
      for (const [flushes, delay] of [
        [1, 0],
        [3, 17],
        [12, 3],
        [5, 41],
      ]) {
        const promised = await writeAndKill(folder, { first, flushes, delay })
        expect(promised).toBeGreaterThan(first)
        const index = await open({ maxBytes: 256 * 1024 * 1024 })
        const { calls } = await index.summary()
        expect(calls).toBeGreaterThanOrEqual(promised)
        expect(await index.count(everything, {})).toBe(calls)
        for (const ordinal of [first, first + 333, promised - 1]) {
          const call = await index.call(`node-1/${first + 1}/${ordinal}`)
          expect(call?.path).toBe(`/${ordinal}`)
          expect(call?.src.pod).toBe(podOf(ordinal))
          expect(call?.response?.body).toBe(bodyOf(ordinal))
          expect(call?.tcp_handshake_p50_us).toBe(10)
        }
        await index.close()
        first = calls
      }
    }))

  it('has the row groups that were committed past the log, and what came after them', () =>
    inFolder(openIndex, async (open, folder) => {
      const each = ROWS_A_COMMIT + 3000
      const promised = await writeAndKill(folder, { flushes: 1, each, hashes: 1 })
      expect(promised).toBe(each)
      const index = await open({ maxBytes: 256 * 1024 * 1024 })
      const { calls } = await index.summary()
      expect(calls).toBeGreaterThanOrEqual(promised)
      expect(await index.count(everything, {})).toBe(calls)
      for (const ordinal of [0, ROWS_A_COMMIT - 1, ROWS_A_COMMIT, promised - 1]) {
        const call = await index.call(`node-1/1/${ordinal}`)
        expect(call?.src.pod).toBe(podOf(ordinal))
        expect(call?.response?.body).toBe(bodyOf(ordinal, 1))
      }
    }))
})

it('is not opened, and not harmed, while another process writes it', () =>
  inFolder(openIndex, async (open, folder) => {
    const meanwhile = async () => {
      await expect(open()).rejects.toThrow(/lock/i)
      await expect(open({ readOnly: true })).rejects.toThrow(/lock/i)
    }
    const promised = await writeAndKill(folder, { flushes: 2, meanwhile })
    const index = await open({ readOnly: true })
    expect((await index.summary()).calls).toBeGreaterThanOrEqual(promised)
    expect((await index.call('node-1/1/0'))?.response?.body).toBe(bodyOf(0))
    expect(readdirSync(folder)).toEqual(['chunk-000001'])
  }))

describe('what a crash can leave behind', () => {
  const flow = sampleFlow()

  async function fill(
    open: (options?: object) => ReturnType<typeof openIndex>,
    count: number,
  ): Promise<void> {
    const index = await open()
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const call = sampleCall({ flow, ordinal, start: DAWN + ordinal, body: bodyOf(ordinal) })
      index.append(call, samplePeers(flow))
      if (ordinal === count / 2) await index.flush()
    }
    await index.close()
  }

  it('is a torn block at the end of the payloads: its calls are there without them', () =>
    inFolder(openIndex, async (open, folder) => {
      await fill(open, 20)
      const segment = join(folder, 'chunk-000001', 'payload.seg')
      rmSync(`${segment}.idx`)
      truncateSync(segment, 30_000)
      for (const options of [{ readOnly: true }, {}, { readOnly: true }]) {
        const index = await open(options)
        const lost = await index.call('node-1/4711/19')
        expect(lost?.path).toBe('/orders/1')
        expect([lost?.payload_missing, lost?.error]).toEqual([true, undefined])
        expect(lost?.response).toBe(undefined)
        expect((await index.call('node-1/4711/2'))?.response?.body).toBe(bodyOf(2))
        expect(await index.count(everything, {})).toBe(20)
        await index.close()
      }
    }))

  it('is garbage after the last block: it is cut off before more is written', () =>
    inFolder(openIndex, async (open, folder) => {
      await fill(open, 20)
      const segment = join(folder, 'chunk-000001', 'payload.seg')
      rmSync(`${segment}.idx`)
      appendFileSync(segment, Buffer.alloc(5000, 7))
      const index = await open()
      index.append(sampleCall({ flow, ordinal: 99, body: bodyOf(99) }), samplePeers(flow))
      await index.flush()
      for (const ordinal of [0, 19, 99])
        expect((await index.call(`node-1/4711/${ordinal}`))?.response?.body).toBe(bodyOf(ordinal))
    }))

  it('is a flipped byte in the database of a chunk: it is set aside and the rest answers', () =>
    inFolder(openIndex, async (open, folder) => {
      await fill(open, 20)
      const path = join(folder, 'chunk-000001', 'calls.duckdb')
      const bytes = readFileSync(path)
      for (let at = 12_800; at < 14_800; at++) bytes[at]! ^= 0x5a
      writeFileSync(path, bytes)
      const index = await open()
      expect((await index.summary()).calls).toBe(0)
      expect(readdirSync(folder)).toContain('damaged-chunk-000001')
    }))

  it('is a chunk that cannot be read: it is set aside and the rest answers', () =>
    inFolder(openIndex, async (open, folder) => {
      await fill(open, 20)
      writeFileSync(join(folder, 'chunk-000001', 'calls.duckdb'), 'no database')
      await expect(open({ readOnly: true })).rejects.toThrow()
      const index = await open()
      expect((await index.summary()).calls).toBe(0)
      index.append(sampleCall({ flow }), samplePeers(flow))
      await index.flush()
      expect(await index.count(everything, {})).toBe(1)
      expect(readdirSync(folder)).toContain('damaged-chunk-000001')
    }))
})
