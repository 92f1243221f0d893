import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { countRecords } from './batch.ts'
import { batch, CODEC, record, varint } from './batch-builder.ts'
import { int16, int32, int64, join } from './message-builder.ts'
import { RecordLister } from './records.ts'

const list = (bytes: Uint8Array, end = bytes.length) => new RecordLister().list(bytes, 0, end, bytes.length)

const RECORDS = join(
  record(0, 'order-1', '{"total":5}', [['trace', 'a1']]),
  record(1, null, 'plain'),
  record(2, 'order-1', null),
)
const LISTED = [
  { offset: 40, timestamp: 1000, key: 'order-1', value: '{"total":5}', headers: { trace: 'a1' } },
  { offset: 41, timestamp: 1010, key: null, value: 'plain' },
  { offset: 42, timestamp: 1020, key: 'order-1', value: null },
]

const snappyLiteral = (bytes: Uint8Array) =>
  join(varintUnsigned(bytes.length), (60 << 2) | 0, bytes.length - 1, bytes)
const varintUnsigned = (value: number) =>
  value < 128 ? Uint8Array.of(value) : Uint8Array.of((value & 127) | 128, value >> 7)
const little = (value: number) =>
  Uint8Array.of(value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24)
const snappyBlocks = (bytes: Uint8Array) =>
  join(
    0x82,
    'SNAPPY',
    0,
    int32(1),
    int32(1),
    ...[bytes.subarray(0, 20), bytes.subarray(20)].flatMap((part) => {
      const block = snappyLiteral(part)
      return [int32(block.length), block]
    }),
  )
const lz4Frame = (bytes: Uint8Array) =>
  join(little(0x184d2204), 0x60, 0x40, 0x82, little((bytes.length | 0x80000000) >>> 0), bytes, int32(0))
const zstdFrame = (bytes: Uint8Array) =>
  join(little(0xfd2fb528), 0x20, bytes.length, 1 | ((bytes.length << 3) & 0xff), bytes.length >> 5, 0, bytes)

describe('records of Kafka', () => {
  it('have offset, time, key, value and header fields', () => {
    expect(list(batch(3, RECORDS))).toEqual({ count: 3, size: batch(3, RECORDS).length, list: LISTED })
  })

  it.each([
    ['gzip', CODEC.gzip, (bytes: Uint8Array) => gzipSync(bytes)],
    ['snappy', CODEC.snappy, snappyLiteral],
    ['snappy', CODEC.snappy, snappyBlocks],
    ['lz4', CODEC.lz4, lz4Frame],
    ['zstd', CODEC.zstd, zstdFrame],
  ] as const)('are decompressed: %s', (compression, codec, compress) => {
    expect(list(batch(3, compress(RECORDS), codec))).toMatchObject({ count: 3, compression, list: LISTED })
  })

  it('of several batches have offsets of their own', () => {
    const both = join(batch(1, record(0, 'a', 'b')), batch(1, record(4, 'c', 'd')))
    expect(list(both).list?.map(({ offset }) => offset)).toEqual([40, 44])
  })

  it('that cannot be decompressed, or that were masked, are counted', () => {
    const stars = batch(3, RECORDS).fill(0x2a, 61)
    expect(list(stars)).toEqual({ count: 3, size: stars.length, unlisted: 3 })
    const damaged = batch(3, Uint8Array.of(1, 2, 3), CODEC.gzip)
    expect(list(damaged)).toMatchObject({ count: 3, compression: 'gzip', unlisted: 3 })
    expect(list(batch(3, RECORDS, 7))).toMatchObject({ compression: 'unknown', unlisted: 3 })
  })

  it('are listed as far as they go at each cut, and never more than there are', () => {
    for (const [codec, bytes] of [
      [CODEC.none, RECORDS],
      [CODEC.gzip, gzipSync(RECORDS)],
    ] as const) {
      const whole = batch(3, bytes, codec)
      for (let end = 0; end <= whole.length; end++) {
        const { list: some = [], count, unlisted = 0 } = list(whole, end)
        expect(some).toEqual(LISTED.slice(0, some.length))
        expect(some.length + unlisted).toBe(count)
        expect(count).toBe(countRecords(whole, 0, end))
      }
    }
  })

  it('of a lying batch end with its bytes', () => {
    expect(list(batch(2_000_000_000, RECORDS))).toMatchObject({ list: LISTED, unlisted: 1_999_999_997 })
  })

  it('have a limit for each message, also of what they decompress to', () => {
    const many = join(...Array.from({ length: 600 }, (_, i) => record(i, 'k', 'v')))
    expect(list(batch(600, many))).toMatchObject({ count: 600, unlisted: 100 })
    expect(list(batch(1, gzipSync(Buffer.alloc(3_000_000)), CODEC.gzip))).toMatchObject({ unlisted: 1 })
  })

  it('show no credentials of their header fields, and all values of one name', () => {
    const fields = [
      ['Authorization', 'Bearer abc'],
      ['via', 'one'],
      ['via', 'two'],
      ['__proto__', 'x'],
    ] as const
    const [one] = list(batch(1, record(0, null, 'v', fields))).list ?? []
    expect(Object.entries(one?.headers ?? {})).toEqual([
      ['Authorization', '**********'],
      ['via', 'one, two'],
      ['__proto__', 'x'],
    ])
  })

  it('that are bytes are base64', () => {
    const bytes = join(0, 0, 0, varint(1), 7, varint(2), 0xff, 0xfe, 0)
    const [one] = list(batch(1, join(varint(bytes.length), bytes))).list ?? []
    expect(one).toMatchObject({
      key: 'Bw==',
      key_encoding: 'base64',
      value: '//4=',
      value_encoding: 'base64',
    })
  })

  it('of transactions are markers', () => {
    const marker = join(0, 0, 0, varint(4), int16(0), int16(1), varint(0), 0)
    expect(list(batch(1, join(varint(marker.length), marker), 0x30)).list).toMatchObject([
      { control: 'commit' },
    ])
  })

  const message = (offset: number, version: number, value: Uint8Array, attributes = 0) => {
    const rest = join(
      int32(0),
      version,
      attributes,
      ...(version === 0 ? [] : [int64(9)]),
      int32(1),
      'k',
      int32(value.length),
      value,
    )
    return join(int64(offset), int32(rest.length), rest)
  }

  it('of old versions are messages', () => {
    const two = join(message(5, 0, Buffer.from('a')), message(6, 1, Buffer.from('b')))
    expect(list(two).list).toEqual([
      { offset: 5, key: 'k', value: 'a' },
      { offset: 6, timestamp: 9, key: 'k', value: 'b' },
    ])
  })

  it('of a compressed message of version 1 have offsets from its own backwards', () => {
    const inner = join(message(0, 1, Buffer.from('a')), message(1, 1, Buffer.from('b')))
    const { list: listed, count } = list(message(21, 1, gzipSync(inner), CODEC.gzip))
    expect(listed?.map(({ offset, value }) => [offset, value])).toEqual([
      [20, 'a'],
      [21, 'b'],
    ])
    expect(count).toBe(2)
  })
})
