import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { Ring } from './ring.ts'
import { packetBlock } from './testing/packet-block.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20

/** A file system of 4 MiB, where this process may mount one. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    console.log('skipped: the full-disk tests mount a small tmpfs, which needs CAP_SYS_ADMIN')
    return undefined
  }
}

/** Takes all that is left. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, new Uint8Array(4096))
  } catch {
    return
  }
}

function stored(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

const disk = mountSmallDisk()
afterAll(() => {
  if (!disk) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

describe.skipIf(!disk)('on a full disk', () => {
  test('the oldest segments are deleted first, then recording stops with a reason, and recovers by itself', () => {
    const folder = join(disk!, 'ring')
    const filler = join(disk!, 'filler')
    const ring = Ring.open(folder, { maxBytes: 64 * MIB, node: 'n', application: 'test' })
    ring.addInterface({ name: 'eth0', link: 1, snaplen: 1000 })
    let time = T0
    const append = () => {
      time += 10e6
      const block = packetBlock(time, 200_000)
      return ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
    }

    for (let at = 0; at < 100; at++) expect(append()).toBe(true)
    expect(ring.state.recording).toBe(true)
    expect(ring.boundaries().packet_count).toBeLessThan(20)
    expect(ring.boundaries().newest_ts).toBe(time / 1000)

    let ok = true
    for (let at = 0; at < 30 && ok; at++) {
      fill(filler)
      ok = append()
    }
    expect(ok).toBe(false)
    expect(ring.state).toMatchObject({ recording: false, reason: expect.stringMatching(/ENOSPC/) })
    const lost = ring.lost
    expect(lost).toBeGreaterThan(0)

    expect(stored(folder)).toBe(ring.boundaries().size_bytes)

    rmSync(filler)
    expect(append()).toBe(false)
    vi.useFakeTimers({ now: Date.now() + 1500, toFake: ['Date'] })
    expect(append()).toBe(true)
    vi.useRealTimers()
    expect(ring.state).toEqual({ recording: true })
    expect(ring.boundaries().drops).toEqual({ kernel: 0, queue: 0, disk: ring.lost })
    ring.close()
    const files = readdirSync(folder)
      .filter((file) => file.endsWith('.pcapng'))
      .map((file) => join(folder, file))
    expect(stored(folder)).toBe(ring.boundaries().size_bytes)
    for (const file of files) {
      const loss: Loss = {}
      const reader = new CaptureReader({ packet: () => {} }, loss)
      reader.push(readFileSync(file))
      reader.end()
      expect(loss.damaged_blocks ?? loss.truncated_file).toBeUndefined()
    }
  })
})
