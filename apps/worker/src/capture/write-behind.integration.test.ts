import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { afterAll, expect, test } from 'vitest'
import { WriteBehind } from './write-behind.ts'

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
    console.log('skipped: the test of a full disk mounts a small tmpfs, which needs CAP_SYS_ADMIN')
    return undefined
  }
}

const disk = mountSmallDisk()
afterAll(() => {
  if (!disk) return
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

test.skipIf(!disk)('on a full disk, deleting the oldest segments frees their space', () => {
  const behind = new WriteBehind((_fd, _from, _length, done) => done(), 64 * MIB)
  const ring = Ring.open(join(disk!, 'ring'), {
    maxBytes: 64 * MIB,
    node: 'n',
    application: 'test',
    wrote: (path, bytes) => behind.wrote(path, bytes),
    deleted: (path) => behind.deleted(path),
  })
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 1000 })
  const writer = new PcapngWriter()
  const packet = new Uint8Array(200_000)
  let time = T0
  for (let at = 0; at < 100; at++) {
    time += 10e6
    writer.packet(0, time, packet, 0, packet.length, packet.length)
    const block = writer.take()
    expect(ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })).toBe(true)
  }
  expect(ring.lost).toBe(0)
  expect(ring.boundaries().newest_ts).toBe(time / 1000)
  ring.close()
  behind.close()
})
