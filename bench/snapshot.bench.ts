import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ring, SnapshotStore } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'

/**
 * A window of 1 GiB out of the ring into a snapshot: read, checksum, write, sync; without the link between worker
 * and hub. The median of several rounds.
 */
const GIB = 1 << 30
const MIB = 1 << 20
const ROUNDS = 3
const START = 1_700_000_000_000_000

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
try {
  const ring = Ring.open(join(folder, 'ring'), { maxBytes: 2 * GIB, node: 'n', application: 'bench' })
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
  const writer = new PcapngWriter()
  const frame = new Uint8Array(1400).fill(7)
  let time = START
  for (let written = 0; written < GIB; ) {
    const first = time
    for (; writer.length < MIB - 2000; time += 10)
      writer.packet(0, time, frame, 0, frame.length, frame.length)
    const block = writer.take()
    written += block.length
    const packets = Math.round((time - first) / 10)
    ring.append(block, block.length, { packets, first, last: time - 10, drops: 0 })
  }
  const store = await SnapshotStore.open(join(folder, 'snapshots'), { maxBytes: 8 * GIB })
  const rounds: { seconds: number; cpu: number; size: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [began, before] = [performance.now(), process.cpuUsage()]
    const name = `s${round}`
    const window = { start_ts: START / 1000, end_ts: time / 1000 }
    const created_at = new Date(0).toISOString()
    await store.create(name, { duration: '1h', created_at, nodes: ['n'], ...window })
    const target = await store.writer(name, 'n')
    const reader = ring.window(window.start_ts, window.end_ts)
    for await (const chunk of reader) await target.write(chunk)
    const { size_bytes } = await target.finish(reader.result)
    await store.setStatus(name, 'completed')
    const { user, system } = process.cpuUsage(before)
    rounds.push({
      seconds: (performance.now() - began) / 1000,
      cpu: (user + system) / 1e6,
      size: size_bytes,
    })
    await store.remove(name)
  }
  const { seconds, cpu, size } = rounds.sort((a, b) => a.seconds - b.seconds)[rounds.length >> 1]!
  const rate = (size / 1e6 / seconds).toFixed(0)
  console.log(
    `window of ${(size / MIB).toFixed(0)} MiB: ${seconds.toFixed(2)} s, ${rate} MB/s, ${cpu.toFixed(2)} s of processor`,
  )
  ring.close()
} finally {
  rmSync(folder, { recursive: true })
}
