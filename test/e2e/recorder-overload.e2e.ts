import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureReader } from '@tapdeck/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PacketSender } from '../../apps/worker/src/testing/packet-sender.ts'
import { RecorderProcess } from './recorder-process.ts'

/** Frames of offloaded bulk transfers, sent faster than any disk takes them: many times around the kernel's ring. */

const MIB = 1 << 20
const SIZE = 65_535
const FRAMES = 5000
const BURSTS = 4
/** Ethernet, IPv4 and TCP; what follows is the same byte in all of the frames. */
const HEADERS = 54

describe.skipIf(process.getuid?.() !== 0)('a recorder that gets more than the disk takes', () => {
  const [outer, inner] = [`tdo${process.pid}`, `tdi${process.pid}`]
  const ip = (...args: readonly string[]) => execFileSync('ip', args, { encoding: 'utf8' })
  const shown = (name: string) => JSON.parse(ip('-j', '-s', 'link', 'show', name))[0]

  beforeEach(() => {
    ip('link', 'add', outer, 'mtu', '65521', 'type', 'veth', 'peer', 'name', inner, 'mtu', '65521')
    for (const name of [outer, inner]) {
      // No packets but ours.
      ip('link', 'set', name, 'addrgenmode', 'none')
      ip('link', 'set', name, 'up')
    }
  })
  afterEach(() => {
    ip('link', 'del', outer)
  })

  test('has each frame that came, as it was, or counts it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapdeck-overload-'))
    const recorder = new RecorderProcess({
      interfaces: [inner],
      snapLength: 262_144,
      bufferSize: 32 * MIB,
      recording: { folder, maxBytes: 4096 * MIB },
    })
    try {
      await recorder.until('it captures', ({ active }) => active)
      const sender = new PacketSender(shown(outer).ifindex, SIZE)
      for (let burst = 0; burst < BURSTS; burst++) sender.burst(FRAMES, 10, 0)
      // Fewer than were sent: the kernel drops frames on a cable that is full, too.
      const arrived = shown(inner).stats64.rx.packets
      const { packets, loss } = await recorder.until(
        `${arrived} are recorded or counted`,
        (status) => status.packets + (status.loss.kernel_drops ?? 0) === arrived,
      )
      await recorder.stop()
      const stored = read(folder)
      console.log(`${arrived} frames arrived = ${stored.packets} recorded + ${loss.kernel_drops} dropped`)
      expect(loss).toMatchObject({ disk_drops: 0, unknown_packets: 0 })
      expect(stored).toEqual({ packets, wrong: 0 })
    } finally {
      recorder.signal('SIGKILL')
      rmSync(folder, { recursive: true })
    }
  })
})

function read(folder: string): { packets: number; wrong: number } {
  let packets = 0
  let wrong = 0
  const body = Buffer.alloc(SIZE - HEADERS, 0x5a)
  const sink = {
    packet(data: Uint8Array, start: number, end: number) {
      packets++
      if (end - start !== SIZE || body.compare(data, start + HEADERS, end) !== 0) wrong++
    },
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.pcapng'))) {
    const reader = new CaptureReader(sink, {})
    reader.push(readFileSync(join(folder, file)))
    reader.end()
  }
  return { packets, wrong }
}
