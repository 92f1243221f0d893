import { ByteWriter } from '@tapdeck/dissect'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { sampleFlow } from '../testing/sample-flow.ts'
import { unpackMetrics, writeMetrics } from './tcp-metrics.ts'

const writer = new ByteWriter()
beforeEach(() => writer.cut(0))

it('brings any measurements back, and says where they end', () => {
  const value = fc.oneof(
    fc.nat(),
    fc.integer({ min: 2 ** 31 - 5, max: 2 ** 40 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e12 }).map((number) => number + 0),
    fc.constantFrom(0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31 - 4, 0.25),
  )
  const { tcp } = sampleFlow()
  const optional = [
    'handshake_us',
    'initial_rtt_us',
    'time_to_first_byte_us',
    'rtt_min_us',
    'rtt_max_us',
    'rtt_avg_us',
    'jitter_us',
  ]
  const keys = [...Object.keys(tcp ?? {}), ...optional]
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true }), (some) => {
      const metrics = { ...sampleFlow().tcp, ...some } as NonNullable<typeof tcp>
      writer.cut(0)
      writeMetrics(metrics, writer)
      const { length } = writer
      writer.uint32(0xffff_ffff)
      const back = unpackMetrics(writer.written())
      expect(back.end).toBe(length)
      expect(back.tcp).toEqual(metrics)
    }),
  )
})

it('takes one byte for a flow without them', () => {
  writeMetrics(undefined, writer)
  expect(writer.length).toBe(1)
  expect(unpackMetrics(writer.written())).toEqual({ end: 1 })
})

it('reads what an older version wrote, with fewer of them', () => {
  expect(unpackMetrics(Uint8Array.of(2, 12, 0, 99)).tcp).toMatchObject({
    handshake_us: 10,
    retransmissions: 0,
  })
  expect(unpackMetrics(Uint8Array.of(2, 12, 0, 99)).end).toBe(3)
})
