import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { handOver } from './hand-over.ts'
import { Ring } from './ring.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { packetBlock } from './testing/packet-block.ts'
import { WindowReader, type WindowResult } from './window-reader.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20
const STEP_US = 1000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each(['copied', 'linked'] as const)(
  'ten snapshots at once, %s, are whole while the ring goes round under them',
  async (way) => {
    const ring = Ring.open(join(folder, 'ring'), { maxBytes: 4 * MIB, node: 'n1', application: 'test' })
    ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
    let recorded = 0
    const record = (count: number) => {
      for (let at = 0; at < count; at++, recorded++) {
        const time = T0 + recorded * STEP_US
        const block = packetBlock(time, 1000)
        ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
      }
    }
    record(3500)
    const store = await SnapshotStore.open(join(folder, 'snapshots'), { maxBytes: 64 * MIB })
    const take = async (at: number) => {
      const name = `s${at}`
      // Windows that begin and end inside segments.
      const start = T0 / 1000 + 300 + at * 100
      const end = start + 1900
      // From here on its segments are held, however long the rest takes.
      const parts = ring.hold(start, end)
      const { oldest_ts: oldest } = ring.boundaries()
      await store.create(name, {
        duration: '2s',
        start_ts: start,
        end_ts: end,
        created_at: new Date(0).toISOString(),
        nodes: ['n1'],
      })
      let result: WindowResult
      if (way === 'linked') {
        const lent = await store.lend()
        record(700)
        const window = { start, end, oldest, maxBytes: 64 * MIB }
        const handed = await handOver(parts, window, join(store.folder, lent))
        record(700)
        await store.adopt(name, 'n1', lent, handed)
        result = handed
      } else {
        const reader = new WindowReader(parts, start, end, oldest)
        const writer = await store.writer(name, 'n1')
        for await (const chunk of reader) {
          await writer.write(chunk)
          record(700)
        }
        await writer.finish(reader.result)
        result = reader.result
      }
      await store.setStatus(name, 'completed')
      return { name, first: start * 1000, result }
    }
    const taken = await Promise.all(Array.from({ length: 10 }, (_, at) => take(at)))
    expect(ring.boundaries().oldest_ts).toBeGreaterThan(T0 / 1000 + 3500)
    for (const { name, first, result } of taken) {
      expect(result).toMatchObject({ packet_count: 1901, partial: false })
      const times: number[] = []
      const loss: Loss = {}
      const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => times.push(time) }, loss)
      for await (const chunk of store.readNode(name, 'n1')) reader.push(chunk)
      reader.end()
      expect(loss).toEqual({})
      expect([times.length, times[0], times.at(-1)]).toEqual([1901, first, first + 1_900_000])
      await store.seal(name)
      expect(store.get(name)).toMatchObject({ verified: true })
      await store.verify(name)
    }
    ring.close()
  },
)
