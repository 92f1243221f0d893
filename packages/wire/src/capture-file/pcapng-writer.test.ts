import { expect, test } from 'vitest'
import type { Loss } from '../loss.ts'
import { Malformed } from '../malformed.ts'
import { CaptureNotes } from './capture-notes.ts'
import { CaptureReader } from './capture-reader.ts'
import { PCAP_HEADER_SIZE, PCAP_RECORD_OVERHEAD, pcapHeader, pcapRecord } from './pcap-record.ts'
import { PcapngWriter } from './pcapng-writer.ts'

function read(file: Uint8Array) {
  const packets: { bytes: Uint8Array; length: number; time: number; link: number }[] = []
  const loss: Loss = {}
  const notes = new CaptureNotes()
  const reader = new CaptureReader(
    {
      packet: (data, start, end, length, time, link) =>
        packets.push({ bytes: data.slice(start, end), length, time, link }),
    },
    loss,
    notes,
  )
  reader.push(file)
  reader.end()
  return { packets, loss, notes }
}

const DATA = Uint8Array.from({ length: 300 }, (_, index) => index)

test('writes what the reader reads back', () => {
  const writer = new PcapngWriter()
  writer.section()
  expect(writer.interface({ link: 1, snaplen: 65_535, name: 'eth0' })).toBe(0)
  expect(writer.interface({ link: 113 })).toBe(1)
  const head = writer.take()
  const comment = new TextEncoder().encode('first')
  const first = new Uint8Array(writer.packetSize(3, comment))
  const packet = { time: 1_700_000_000_123_456, data: DATA, start: 10, end: 13, length: 1500, comment }
  writer.writePacket(first, 0, 0, packet)
  writer.packet(1, 1_700_000_000_123_457, DATA, 0, 300, 300)
  writer.packet(0, 0, DATA, 5, 5, 0)
  writer.names([
    ['10.0.0.1', ['web.default', 'web']],
    ['fe80::1', ['router']],
  ])
  writer.secrets(0x544c534b, DATA.subarray(0, 7))
  writer.statistics(1, 1_700_000_000_123_458, { received: 3, drops: 2 ** 33 })
  const { packets, loss, notes } = read(Buffer.concat([head, first, writer.take()]))
  expect(packets).toEqual([
    { bytes: DATA.slice(10, 13), length: 1500, time: 1_700_000_000_123_456, link: 1 },
    { bytes: DATA, length: 300, time: 1_700_000_000_123_457, link: 113 },
    { bytes: new Uint8Array(0), length: 0, time: 0, link: 1 },
  ])
  expect(loss).toEqual({ kernel_drops: 2 ** 33 })
  expect(notes.application).toBe('tapdeck')
  expect(notes.interfaces).toEqual([
    { name: 'eth0', link: 1, snaplen: 65_535 },
    { link: 113, snaplen: 0 },
  ])
  expect(notes.comments).toEqual([{ text: 'first', packet: 1 }])
  expect(Object.fromEntries(notes.names)).toEqual({
    '10.0.0.1': ['web.default', 'web'],
    'fe80::1': ['router'],
  })
  expect(notes.secrets).toEqual([{ type: 0x544c534b, data: DATA.slice(0, 7) }])
})

test('writes packets into the buffer of the caller, exactly as many bytes as it told', () => {
  const writer = new PcapngWriter()
  const target = new Uint8Array(2000).fill(0xee)
  const comment = new TextEncoder().encode('why')
  let at = 7
  for (const size of [0, 1, 2, 3, 4, 63, 64, 65, 300]) {
    const packet = { time: 1e15, data: DATA, start: 0, end: size, length: size }
    const next = writer.writePacket(target, at, 0, size % 2 === 0 ? { ...packet, comment } : packet)
    expect(next - at).toBe(writer.packetSize(size, size % 2 === 0 ? comment : undefined))
    at = next
  }
  expect(target[6]).toBe(0xee)
  expect(target[at]).toBe(0xee)
  expect(writer.length).toBe(0)
})

test('leaves nothing behind after take', () => {
  const writer = new PcapngWriter()
  writer.section()
  expect(writer.take().length).toBeGreaterThan(0)
  expect(writer.take().length).toBe(0)
})

test('refuses names of what is no address', () => {
  expect(() => new PcapngWriter().names([['nowhere', ['x']]])).toThrow(Malformed)
})

test('writes classic pcap for tools that know nothing else', () => {
  const file = new Uint8Array(PCAP_HEADER_SIZE + 2 * PCAP_RECORD_OVERHEAD + 3 + 100)
  let at = pcapHeader(file, 0, 276)
  at = pcapRecord(file, at, { time: 1_700_000_000_999_999.5, data: DATA, start: 1, end: 4, length: 60 })
  at = pcapRecord(file, at, { time: 4_000_000_000_000_001, data: DATA, start: 0, end: 100, length: 100 })
  expect(at).toBe(file.length)
  expect(read(file).packets).toEqual([
    { bytes: DATA.slice(1, 4), length: 60, time: 1_700_000_000_999_999, link: 276 },
    { bytes: DATA.slice(0, 100), length: 100, time: 4_000_000_000_000_001, link: 276 },
  ])
})
