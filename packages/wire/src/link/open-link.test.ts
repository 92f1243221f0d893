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
  const { recorder, streams } = follow(timed([data]), {}, link)
  const [event] = recorder.events.filter(({ kind }) => kind === 'datagram')
  return {
    text: event?.kind === 'datagram' ? new TextDecoder().decode(event.bytes) : undefined,
    flow: recorder.flows[0],
    loss: streams.loss,
  }
}

const linux = (type: number, inner: Uint8Array) => concat(new Uint8Array(14), be16(type), inner)
const linux2 = (type: number, inner: Uint8Array) => concat(be16(type), new Uint8Array(18), inner)
const little = (family: number, inner: Uint8Array) => concat(Uint8Array.of(family, 0, 0, 0), inner)
const big = (family: number, inner: Uint8Array) => concat(Uint8Array.of(0, 0, 0, family), inner)

const LABEL = Uint8Array.of(0, 1, 0x00, 64)
const LAST_LABEL = Uint8Array.of(0, 2, 0x01, 64)

/** A field of the Linux packet filter log. */
function field(type: number, value: Uint8Array, isLittle: boolean): Uint8Array {
  const [length, kind] = [4 + value.length, type].map((n) => (isLittle ? be16(n).reverse() : be16(n)))
  return concat(length!, kind!, value, new Uint8Array(-value.length & 3))
}

const nflog = (family: number, inner: Uint8Array, isLittle: boolean) =>
  concat(
    Uint8Array.of(family, 0, 0, 5),
    field(1, Uint8Array.of(8, 0, 1, 0), isLittle),
    field(10, Uint8Array.of(0x61, 0x62, 0), isLittle),
    field(9, inner, isLittle),
  )

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
    ['MPLS', 1, ethernet(0x8847, concat(LAST_LABEL, packet(false))), '10.0.0.1'],
    [
      'several MPLS labels',
      1,
      ethernet(0x8847, concat(LABEL, LABEL, LAST_LABEL, packet(true))),
      '2001:db8::1',
    ],
    ['MPLS multicast', 1, ethernet(0x8848, concat(LAST_LABEL, packet(false))), '10.0.0.1'],
    ['MPLS in a VLAN', 1, ethernet(0x8847, concat(LAST_LABEL, packet(false)), [7]), '10.0.0.1'],
    ['an Ethernet pseudowire', 1, ethernet(0x8847, concat(LAST_LABEL, frame(packet(false)))), '10.0.0.1'],
    [
      'an Ethernet pseudowire with a control word',
      1,
      ethernet(0x8847, concat(LAST_LABEL, new Uint8Array(4), frame(packet(false)))),
      '10.0.0.1',
    ],
    ['a VN-Tag', 1, ethernet(0x8926, concat(new Uint8Array(4), be16(0x0800), packet(false))), '10.0.0.1'],
    [
      'a timestamp tag',
      1,
      ethernet(0x8988, concat(new Uint8Array(6), be16(0x86dd), packet(true))),
      '2001:db8::1',
    ],
    ['NFLOG, little-endian', 239, nflog(2, packet(false), true), '10.0.0.1'],
    ['NFLOG, big-endian', 239, nflog(10, packet(true), false), '2001:db8::1'],
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
  const { recorder } = follow(timed([frame(short)]))
  expect(recorder.events[1]).toMatchObject({ kind: 'datagram', length: 0, bytes: new Uint8Array(0) })
})

test('counts what it does not follow', () => {
  expect(heard(ethernet(0x0806, new Uint8Array(28)), 1).loss).toEqual({ unknown_packets: 1 })
  expect(heard(ethernet(30, new Uint8Array(40)), 1).loss).toEqual({ unknown_packets: 1 })
  expect(heard(ethernet(0x8847, concat(LAST_LABEL, new Uint8Array(40))), 1).loss).toEqual({
    unknown_packets: 1,
  })
  expect(heard(nflog(3, new Uint8Array(40), true), 239).loss).toEqual({ unknown_packets: 1 })
  expect(heard(packet(false), 105).loss).toEqual({ unknown_packets: 1 })
  expect(heard(little(7, packet(false)), 0).loss).toEqual({ unknown_packets: 1 })
  expect(heard(ip(...V4, 50, new Uint8Array(20)), 101).loss).toEqual({ unknown_packets: 1 })
})

test('counts NFLOG and MPLS packets that are too short as malformed', () => {
  const data = nflog(2, packet(false), true)
  for (let size = 0; size < data.length - packet(false).length + 20; size++)
    expect(heard(data.slice(0, size), 239).loss).toEqual({ malformed_packets: 1 })
  expect(heard(ethernet(0x8847, new Uint8Array(46)), 1).loss).toEqual({ malformed_packets: 1 })
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
