import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PcapngWriter } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { formatIndex } from './index-file.ts'
import { SegmentIndexer } from './segment-indexer.ts'
import { StreamIndexer } from './stream-indexer.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-stream-indexer-'))
afterAll(() => rmSync(folder, { recursive: true }))

function capture(packets: number): Buffer {
  const writer = new PcapngWriter()
  writer.section()
  writer.interface({ link: 1 })
  for (let one = 0; one < packets; one++) {
    const frame = udpFrame({
      ...{ src: `10.0.${(one >> 8) & 255}.${one & 255}`, dst: '10.1.0.1', sport: 1000, dport: 53 },
      payload: new Uint8Array(900),
    })
    writer.packet(0, one * 1000, frame, 0, frame.length, frame.length)
  }
  return Buffer.from(writer.take())
}

function indexOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array | undefined {
  const indexer = new StreamIndexer(1000)
  let at = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    indexer.update(bytes.subarray(at, cut))
    at = cut
  }
  indexer.update(bytes.subarray(at))
  return indexer.end()
}

test('the index of a stream is that of the file, wherever the stream is cut', () => {
  const bytes = capture(600)
  const path = join(folder, 'one.pcapng')
  writeFileSync(path, bytes)
  const expected = formatIndex(bytes.length, new SegmentIndexer(path, bytes.length).finish()!)
  expect(indexOf(bytes, [])).toEqual(expected)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      expect(Buffer.compare(indexOf(bytes, cuts)!, expected)).toBe(0)
    }),
    { numRuns: 50 },
  )
})

test('what the ring did not write gets no index', () => {
  expect(indexOf(Buffer.alloc(100_000, 1), [10, 50_000])).toBeUndefined()
  expect(indexOf(new Uint8Array(0), [])).toBeUndefined()
})
