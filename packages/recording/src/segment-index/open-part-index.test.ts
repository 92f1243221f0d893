import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Ring } from '../ring.ts'
import { packetBlock } from '../testing/packet-block.ts'
import { OpenPartIndex } from './open-part-index.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('what is being written gets an index by reading each byte once, and a new segment a new one', () => {
  const ring = Ring.open(folder, { maxBytes: 64 << 20, node: 'n', application: 'test' })
  ring.addInterface({ name: 'eth0', link: 1 })
  let recorded = 0
  const record = (count: number) => {
    for (let at = 0; at < count; at++, recorded++) {
      const time = T0 + recorded * 1000
      const block = packetBlock(time, 1000)
      ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
    }
  }
  const open = new OpenPartIndex()
  const ask = () => {
    const parts = ring.hold(0, 2 ** 52 / 1000)
    const part = parts.find((one) => one.open)!
    const regions = open.indexOf(part)!.regions
    for (const { fd } of parts) closeSync(fd)
    expect(regions.at(-1)!.end).toBe(part.bytes)
    expect(regions.reduce((sum, { packets }) => sum + packets, 0)).toBe(part.packets)
    expect(regions.at(-1)!.last).toBe(T0 + (recorded - 1) * 1000)
    return part
  }
  record(1500)
  const { bytes } = ask()
  expect(open.readBytes).toBeLessThan(bytes + 2000)
  record(10)
  const more = ask()
  expect(more.bytes).toBeGreaterThan(bytes)
  expect(open.readBytes).toBeLessThan(more.bytes + 4000)
  record(5000)
  expect(ask().path).not.toBe(more.path)
  ring.close()
})
