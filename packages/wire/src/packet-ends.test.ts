import { expect, test } from 'vitest'
import { PacketEnds } from './packet-ends.ts'
import { ip, tcpFrame, udpDatagram, udpFrame } from './testing/index.ts'

test('both directions of a conversation have one hash, which `hashOf` predicts', () => {
  for (const [a, b] of [
    ['10.0.0.1', '10.0.0.2'],
    ['fd00::1', 'fd00::2'],
  ] as const) {
    const ends = new PacketEnds()
    const read = (frame: Uint8Array) => ends.read(frame, 0, frame.length, frame.length, 1)
    expect(read(tcpFrame({ src: a, dst: b, sport: 40_000, dport: 80 }))).toBe(true)
    expect([ends.source, ends.sourcePort, ends.destination, ends.destinationPort]).toEqual([a, 40_000, b, 80])
    const { hash } = ends
    read(tcpFrame({ src: b, dst: a, sport: 80, dport: 40_000 }))
    expect(ends.hash).toBe(hash)
    expect(PacketEnds.hashOf(b, 80, a, 40_000)).toBe(hash)
    read(udpFrame({ src: b, dst: a, sport: 81, dport: 40_000 }))
    expect(ends.hash).not.toBe(hash)
  }
})

test('what carries no transport tells nothing', () => {
  const ends = new PacketEnds()
  const whole = tcpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 1, dport: 2 })
  expect(ends.read(whole, 0, 20, whole.length, 1)).toBe(false)
  expect(ends.read(whole, 0, whole.length, whole.length, 147)).toBe(false)
  const icmp = ip('10.0.0.1', '10.0.0.2', 1, udpDatagram({ src: '', dst: '', sport: 9, dport: 9 }))
  expect(ends.read(icmp, 0, icmp.length, icmp.length, 101)).toBe(true)
  expect([ends.sourcePort, ends.destinationPort]).toEqual([0, 0])
})
