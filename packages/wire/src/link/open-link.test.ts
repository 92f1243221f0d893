import { describe, expect, test } from 'vitest'
import { be16, concat, ethernet, follow, frame, ip, ipv4, timed, udpDatagram } from '../testing/index.ts'

const V4 = ['10.0.0.1', '10.0.0.2'] as const
const V6 = ['2001:db8::1', '2001:db8::2'] as const
const FIELDS = { src: '', dst: '', sport: 5000, dport: 53, payload: 'hello' }
const packet = (v6: boolean) => {
  const [src, dst] = v6 ? V6 : V4
  return ip(src, dst, 17, udpDatagram(FIELDS))
}

function heard(data: Uint8Array, link: number) {
  const { told, streams } = follow(timed([data]), {}, link)
  const [event] = told.events.filter(({ kind }) => kind === 'datagram')
  return {
    text: event?.kind === 'datagram' ? new TextDecoder().decode(event.bytes) : undefined,
    flow: told.flows[0],
    loss: streams.loss,
  }
}

const linux = (type: number, inner: Uint8Array) => concat(new Uint8Array(14), be16(type), inner)
const linux2 = (type: number, inner: Uint8Array) => concat(be16(type), new Uint8Array(18), inner)
const little = (family: number, inner: Uint8Array) => concat(Uint8Array.of(family, 0, 0, 0), inner)
const big = (family: number, inner: Uint8Array) => concat(Uint8Array.of(0, 0, 0, family), inner)

describe('opens', () => {
  test.each([
    ['Ethernet', 1, frame(packet(false)), '10.0.0.1'],
    ['Ethernet with IPv6', 1, frame(packet(true)), '2001:db8::1'],
    ['SNAP', 1, ethernet(45, concat(Uint8Array.of(0xaa, 0xaa, 3, 0, 0, 0, 8, 0), packet(false))), '10.0.0.1'],
    ['Linux cooked', 113, linux(0x0800, packet(false)), '10.0.0.1'],
    [
      'Linux cooked with a VLAN',
      113,
      linux(0x8100, concat(be16(7), be16(0x86dd), packet(true))),
      '2001:db8::1',
    ],
    ['Linux cooked 2', 276, linux2(0x86dd, packet(true)), '2001:db8::1'],
    ['raw IP', 101, packet(false), '10.0.0.1'],
    ['raw IP of BSD', 12, packet(true), '2001:db8::1'],
    ['raw IP of OpenBSD', 14, packet(false), '10.0.0.1'],
    ['raw IPv4', 228, packet(false), '10.0.0.1'],
    ['raw IPv6', 229, packet(true), '2001:db8::1'],
    ['loopback, little-endian', 0, little(2, packet(false)), '10.0.0.1'],
    ['loopback, big-endian', 0, big(2, packet(false)), '10.0.0.1'],
    ['loopback of OpenBSD', 108, big(24, packet(true)), '2001:db8::1'],
    ['loopback of macOS', 0, little(30, packet(true)), '2001:db8::1'],
    ['loopback of FreeBSD', 0, little(28, packet(true)), '2001:db8::1'],
  ])('%s', (_name, link, data, source) => {
    const { text, flow, loss } = heard(data, link)
    expect(text).toBe('hello')
    expect(flow.ends[0]).toEqual({ ip: source, port: 5000 })
    expect(loss).toEqual({})
  })

  test.each([
    ['one tag', [42], 42],
    ['tags in tags', [7, 42], 42],
    ['a mere priority', [0], undefined],
  ])('VLANs: %s', (_name, vlans, expected) => {
    const { text, flow } = heard(frame(packet(false), vlans), 1)
    expect(text).toBe('hello')
    expect(flow.vlan).toBe(expected)
  })

  test.each([0x88a8, 0x9100])('service tags 0x%s', (type) => {
    const data = frame(packet(false), [7, 42])
    data.set(be16(type), 12)
    expect(heard(data, 1).flow.vlan).toBe(42)
  })
})

test('takes padding for no payload', () => {
  const short = ipv4(...V4, 17, udpDatagram({ ...FIELDS, payload: '' }))
  const { told } = follow(timed([frame(short)]))
  expect(told.events[1]).toMatchObject({ kind: 'datagram', length: 0, bytes: new Uint8Array(0) })
})

test('counts what it does not follow', () => {
  expect(heard(ethernet(0x0806, new Uint8Array(28)), 1).loss).toEqual({ unknown_packets: 1 })
  expect(heard(ethernet(30, new Uint8Array(40)), 1).loss).toEqual({ unknown_packets: 1 })
  expect(heard(packet(false), 105).loss).toEqual({ unknown_packets: 1 })
  expect(heard(little(7, packet(false)), 0).loss).toEqual({ unknown_packets: 1 })
  expect(heard(ip(...V4, 50, new Uint8Array(20)), 101).loss).toEqual({ unknown_packets: 1 })
})

test('counts frames that are too short as malformed, or only as cut where they say that they were longer', () => {
  const data = frame(packet(false))
  for (let size = 0; size < 14 + 20 + 8; size++) {
    const cut = { cut_packets: 1 }
    const short = { data: data.slice(0, size), time: 1e15 }
    expect(follow([short]).streams.loss).toEqual(size < 14 + 20 ? { malformed_packets: 1 } : cut)
    expect(follow([{ ...short, length: 60 }]).streams.loss).toEqual(cut)
  }
})
