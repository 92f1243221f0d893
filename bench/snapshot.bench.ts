import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handOver, Ring, SnapshotStore } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'

/**
 * A window of 1 GiB out of the ring into a completed snapshot, without the messages between worker and hub: handed over as links where
 * both have the same disk, and copied (read, checksum, write, sync) where they have not. The window begins and ends within a
 * segment. The median of several rounds. What is linked gets its checksums afterwards, which is timed apart.
 */
const GIB = 1 << 30
const MIB = 1 << 20
const ROUNDS = 3
const START = 1_700_000_000_000_000

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
try {
  const ring = Ring.open(join(folder, 'ring'), { maxBytes: 2 * GIB, node: 'n', application: 'bench' })
  const window = fill(ring)
  const store = await SnapshotStore.open(join(folder, 'snapshots'), { maxBytes: 8 * GIB })

  const sealing: Figures[] = []
  const linked = await rounds(async (name) => {
    await begin(name)
    const parts = ring.hold(window.start, window.end)
    const lent = await store.lend()
    const oldest = ring.boundaries().oldest_ts
    const wish = { ...window, oldest, maxBytes: store.room.free }
    await store.adopt(name, 'n', lent, await handOver(parts, wish, join(store.folder, lent)))
    await store.setStatus(name, 'completed')
  }, sealing)
  tell('linked', linked)
  tell('  its checksums, afterwards', sealing)

  const copied = await rounds(async (name) => {
    await begin(name)
    const target = await store.writer(name, 'n')
    const reader = ring.window(window.start, window.end)
    for await (const chunk of reader) await target.write(chunk)
    await target.finish(reader.result)
    await store.setStatus(name, 'completed')
  })
  tell('copied', copied)
  ring.close()

  async function begin(name: string): Promise<void> {
    const created_at = new Date(0).toISOString()
    await store.create(name, { duration: '1h', created_at, nodes: ['n'], start_ts: 0, end_ts: 1 })
  }

  async function rounds(run: (name: string) => Promise<void>, seals?: Figures[]): Promise<Figures[]> {
    const all: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const name = `s${round}`
      const took = await timed(() => run(name))
      const size = store.get(name)!.size_bytes
      all.push({ ...took, size })
      if (seals) seals.push({ ...(await timed(() => store.seal(name))), size })
      await store.remove(name)
    }
    return all
  }
} finally {
  rmSync(folder, { recursive: true })
}

interface Figures {
  readonly seconds: number
  readonly cpu: number
  readonly size: number
}

/** Somewhat more than 1 GiB; returns a window of 1 GiB in it, in milliseconds. */
function fill(ring: Ring): { readonly start: number; readonly end: number } {
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
  const writer = new PcapngWriter()
  const frame = new Uint8Array(1400).fill(7)
  let time = START
  let from = 0
  for (let written = 0; ; ) {
    const first = time
    for (; writer.length < MIB - 2000; time += 10)
      writer.packet(0, time, frame, 0, frame.length, frame.length)
    const block = writer.take()
    written += block.length
    if (from === 0 && written > 32 * MIB) from = time
    const packets = Math.round((time - first) / 10)
    ring.append(block, block.length, { packets, first, last: time - 10, drops: 0 })
    if (written >= GIB + 32 * MIB) return { start: from / 1000, end: time / 1000 }
  }
}

async function timed(run: () => Promise<void>): Promise<Omit<Figures, 'size'>> {
  const [began, before] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }
}

function tell(what: string, figures: readonly Figures[]): void {
  const { seconds, cpu, size } = figures.toSorted((a, b) => a.seconds - b.seconds)[figures.length >> 1]!
  const rate = (size / 1e6 / seconds).toFixed(0)
  console.log(
    `${what.padEnd(28)} ${(size / MIB).toFixed(0)} MiB in ${seconds.toFixed(2)} s, ${rate} MB/s, ${cpu.toFixed(2)} s of processor`,
  )
}
