import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Ring } from '@tapdeck/recording'
import { addressKey, CaptureReader } from '@tapdeck/wire'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/** A process that records is killed at any moment, again and again: what it said was stored is there, with and without indexes. */

const KILLS = 200
const GAP = 1_000_000

test(`${KILLS} kills at random moments lose nothing that was acknowledged`, {
  timeout: 600_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-kills-'))
  try {
    const script = join(folder, 'writer.mjs')
    await build({
      entryPoints: [fileURLToPath(new URL('./ring/endless-writer.ts', import.meta.url))],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
    const ringFolder = join(folder, 'ring')
    const stored: { from: number; to: number }[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const from = 1_700_000_000_000 + kill * GAP
      stored.push({ from, to: await runAndKill(script, ringFolder, from) })
      if (kill % 20 === 19) await check(ringFolder, stored)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Lets it write for a moment and returns the number up to which it said to have stored. */
async function runAndKill(script: string, folder: string, from: number): Promise<number> {
  const child = spawn(process.execPath, [script, folder, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child.stdout, 'close')
  let said = ''
  child.stdout.on('data', (chunk) => {
    said = (said + chunk).slice(-1000)
  })
  await once(child.stdout, 'data')
  await sleep(Math.random() * 60)
  child.kill('SIGKILL')
  await gone
  return Number(said.split('\n').at(-2))
}

async function check(folder: string, stored: readonly { from: number; to: number }[]): Promise<void> {
  const ring = Ring.open(folder, { maxBytes: 24 << 20, node: 'n', application: 'test' })
  const all = await numbers(ring)
  const oldest = ring.boundaries().oldest_ts!
  const there = new Set(all)
  expect(there.size).toBe(all.length)
  expect(ring.boundaries().packet_count).toBe(all.length)
  for (const { from, to } of stored)
    for (let number = Math.max(from, oldest); number < to; number++)
      if (!there.has(number)) throw new Error(`${number} of [${from}, ${to}) is not there`)
  // The same by the indexes, as far as the kills left any.
  expect(await numbers(ring, addressKey('10.9.9.9'))).toEqual(all.filter((number) => number % 97 === 0))
  ring.close()
}

async function numbers(ring: Ring, party?: number): Promise<number[]> {
  const found: number[] = []
  const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => void found.push(time / 1000) }, {})
  const parties = party === undefined ? [] : [[party]]
  for await (const chunk of ring.window(0, Number.MAX_SAFE_INTEGER / 1000, parties)) reader.push(chunk)
  reader.end()
  return found
}
