import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Malformed } from '../malformed.ts'
import { numbers, PACKET, pcapHeader, readCapture, record, text } from '../testing/capture-builder.ts'
import { concat } from '../testing/packet-builder.ts'
import { CaptureReader } from './capture-reader.ts'
import { PcapngWriter } from './pcapng-writer.ts'

describe.each([true, false])('a pcap file, little-endian %s', (little) => {
  test('with microseconds', () => {
    const file = concat(
      pcapHeader(little, 0xa1b2c3d4, 113),
      record(little, 1_700_000_000, 999_999, PACKET, 1500),
    )
    const { seen, reader, loss } = readCapture(file)
    expect(seen).toEqual([{ bytes: '1,2,3,4,5', length: 1500, time: 1_700_000_000_999_999, link: 113 }])
    expect(reader.format).toBe('pcap')
    expect([reader.packets, reader.bytes]).toEqual([1, file.length])
    expect(loss).toEqual({})
  })

  test('with nanoseconds, which become a fraction', () => {
    const file = concat(pcapHeader(little, 0xa1b23c4d), record(little, 1_700_000_000, 123_456_500, PACKET))
    expect(readCapture(file).seen[0].time).toBe(1_700_000_000_123_456.5)
  })

  test('with nanoseconds that do not round into the next microsecond', () => {
    const file = concat(pcapHeader(little, 0xa1b23c4d), record(little, 1_700_000_000, 999, PACKET))
    expect(readCapture(file).seen[0].time).toBe(1_700_000_000_000_000.5)
  })

  test('with the longer record headers of the modified format', () => {
    const header = numbers(little, [4, 7], [4, 8], [4, 5], [4, 5], [4, 1], [2, 0], [2, 0])
    const file = concat(pcapHeader(little, 0xa1b2cd34), header, PACKET, header, PACKET)
    expect(readCapture(file).seen.map(({ time }) => time)).toEqual([7_000_008, 7_000_008])
  })

  test('whose seconds are past 2038', () => {
    const file = concat(pcapHeader(little, 0xa1b2c3d4), record(little, 4_000_000_000, 1, PACKET))
    expect(readCapture(file).seen[0].time).toBe(4_000_000_000_000_001)
  })

  test.each([
    ['an impossible length', 1_700_000_000, 0xfffffff0],
    ['an impossible length past 2038', 2_222_222_222, 0xfffffff0],
    ['the length of no frame', 1_700_000_000, 30_000_000],
  ])('goes on behind a record with %s', (_name, start, length) => {
    const damaged = numbers(little, [4, start + 1], [4, 0], [4, length], [4, 9])
    const good = (second: number) => record(little, start + second, 5, PACKET)
    const file = concat(pcapHeader(little, 0xa1b2c3d4), good(0), damaged, good(2), good(3))
    const { seen, loss } = readCapture(file)
    expect(seen.map(({ time }) => time)).toEqual([0, 2, 3].map((second) => (start + second) * 1e6 + 5))
    expect(loss).toEqual({ damaged_blocks: 1 })
  })

  test('may have longer frames where it says so', () => {
    const header = numbers(little, [4, 0xa1b2c3d4], [2, 2], [2, 4], [4, 0], [4, 0], [4, 1_000_000], [4, 1])
    const { seen, loss } = readCapture(concat(header, record(little, 1, 1, new Uint8Array(900_000))))
    expect([seen.length, loss]).toEqual([1, {}])
  })
})

test('believes no record behind damage that is not followed by another one', () => {
  const good = (second: number) => record(true, 1_700_000_000 + second, 5, PACKET)
  const damaged = numbers(true, [4, 1], [4, 0], [4, 0xfffffff0], [4, 9])
  const false_ = numbers(true, [4, 1_700_000_000], [4, 5], [4, 3], [4, 3])
  const file = concat(pcapHeader(true, 0xa1b2c3d4), good(0), damaged, false_, good(2), good(3))
  expect(readCapture(file).seen.map((packet) => packet.time)).toEqual(
    [0, 2, 3].map((second) => (1_700_000_000 + second) * 1e6 + 5),
  )
})

test.each(['', 'GET', 'not a capture', '\x7fELF...............'])(
  'takes %j for no capture file',
  (content) => {
    expect(() => readCapture(text(content))).toThrow(new Malformed('not a capture file'))
  },
)

test('counts the bytes behind the last whole packet', () => {
  const file = concat(pcapHeader(true, 0xa1b2c3d4), record(true, 1, 2, PACKET))
  const { seen, loss } = readCapture(file.subarray(0, file.length - 2))
  expect(seen).toEqual([])
  expect(loss).toEqual({ truncated_file: 19 })
})

function sample(): Uint8Array[] {
  const writer = new PcapngWriter()
  writer.section()
  writer.interface({ link: 1, name: 'eth0' })
  writer.names([['10.0.0.1', ['web']]])
  for (let size = 0; size < 40; size += 3)
    writer.packet(0, 1e15 + size, new Uint8Array(size).fill(size), 0, size, 99)
  writer.statistics(0, 1e15, { received: 14, drops: 2 })
  const records = Array.from({ length: 12 }, (_, index) =>
    record(index % 2 === 0, 1_700_000_000, index, new Uint8Array(index * 5).fill(index)),
  )
  return [
    writer.take(),
    concat(pcapHeader(true, 0xa1b2c3d4), ...records.filter((_, index) => index % 2 === 0)),
    concat(pcapHeader(false, 0xa1b23c4d), ...records.filter((_, index) => index % 2 === 1)),
  ]
}

test('reads the same packets however the file is cut into chunks', () => {
  for (const file of sample()) {
    const whole = readCapture(file)
    expect(whole.seen.length).toBeGreaterThan(5)
    const everyByte = Array.from({ length: file.length }, (_, index) => index)
    expect(readCapture(file, everyByte).seen).toEqual(whole.seen)
    fc.assert(
      fc.property(fc.array(fc.nat(file.length), { maxLength: 20 }), (cuts) => {
        const cut = readCapture(file, cuts)
        expect(cut.seen).toEqual(whole.seen)
        expect(cut.loss).toEqual(whole.loss)
      }),
    )
  }
})

test('throws nothing but Malformed, whatever a file is cut to', () => {
  for (const file of sample())
    for (let size = 0; size < file.length; size++) {
      try {
        const { seen, loss } = readCapture(file.subarray(0, size))
        expect(seen.length).toBeLessThanOrEqual(readCapture(file).seen.length)
        if (size < 24) expect(loss.truncated_file).toBe(size)
      } catch (error) {
        expect(error).toBeInstanceOf(Malformed)
        expect(size).toBeLessThan(4)
      }
    }
})

test('survives any damage and still reads the same however it is chunked', () => {
  const files = sample()
  fc.assert(
    fc.property(
      fc.nat(files.length - 1),
      fc.array(fc.tuple(fc.nat(600), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(600), { maxLength: 8 }),
      (which, changes, cuts) => {
        const file = files[which].slice()
        for (const [at, value] of changes) file[24 + (at % (file.length - 24))] = value
        const whole = readCapture(file)
        const cut = readCapture(
          file,
          cuts.filter((at) => at < file.length),
        )
        expect(cut.seen).toEqual(whole.seen)
        expect(whole.loss.damaged_blocks ?? 0).toBeLessThan(file.length)
      },
    ),
    { numRuns: 500 },
  )
})

test('hands on plain bytes where it is given a Buffer, so that a slice of them is a copy', () => {
  const file = Buffer.from(concat(pcapHeader(true, 0xa1b2c3d4), record(true, 1, 2, PACKET)))
  const kept: Uint8Array[] = []
  const sink = {
    packet: (data: Uint8Array, start: number, end: number) => void kept.push(data.slice(start, end)),
  }
  new CaptureReader(sink, {}).push(file)
  file.fill(0)
  expect(kept).toEqual([new Uint8Array(PACKET)])
})
