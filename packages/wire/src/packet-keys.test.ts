import { expect, test } from 'vitest'
import { ANY_PORT_KEY, addressKey, PacketKeys, portKey } from './packet-keys.ts'
import { concat, frame, ip, ipv4, tcpFrame, udpDatagram, udpFrame } from './testing/packet-builder.ts'

const ETHERNET = 1
const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 1234, dport: 80 }

function keysOf(data: Uint8Array): Set<number> {
  const who = new PacketKeys()
  who.read(data, 0, data.length, data.length, ETHERNET)
  return new Set(who.keys.subarray(0, who.count))
}

test.each([
  ['TCP', tcpFrame(ends)],
  ['UDP', udpFrame(ends)],
])('%s gives its addresses and ports', (_, data) => {
  const expected = [addressKey('10.0.0.1'), addressKey('10.0.0.2'), portKey(1234), portKey(80)]
  expect(keysOf(data)).toEqual(new Set(expected))
})

test('all spellings of an IPv6 address give the same key', () => {
  const keys = keysOf(udpFrame({ ...ends, src: 'fd00::1', dst: 'fd00::2' }))
  expect(keys).toContain(addressKey('fd00:0:0:0:0:0:0:1'))
})

test('a packet in a tunnel gives the outer and inner addresses, and the inner ports', () => {
  const inner = udpFrame(ends)
  const vxlan = concat(Uint8Array.of(8, 0, 0, 0, 0, 0, 7, 0), inner)
  const keys = keysOf(
    udpFrame({ src: '192.168.0.1', dst: '192.168.0.2', sport: 5, dport: 4789, payload: vxlan }),
  )
  for (const address of ['192.168.0.1', '192.168.0.2', '10.0.0.1', '10.0.0.2'])
    expect(keys).toContain(addressKey(address))
  expect(keys).toContain(portKey(80))
  expect(keys).not.toContain(portKey(4789))
})

test('a fragment gives its addresses, and the key for unknown ports', () => {
  const datagram = udpDatagram({ ...ends, payload: new Uint8Array(64) })
  const whole = ipv4('10.0.0.1', '10.0.0.2', 17, datagram)
  whole[6] = 0x20
  const keys = keysOf(frame(whole))
  expect(keys).toEqual(new Set([addressKey('10.0.0.1'), addressKey('10.0.0.2'), ANY_PORT_KEY]))
})

test('a packet without an IP header, or cut off, has no keys', () => {
  expect(keysOf(new Uint8Array(60)).size).toBe(0)
  expect(keysOf(tcpFrame(ends).subarray(0, 20)).size).toBe(0)
  expect(keysOf(frame(ip('10.0.0.1', '10.0.0.2', 6, new Uint8Array(2)))).size).toBe(2)
})
