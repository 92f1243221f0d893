import { describe, expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import {
  be16,
  be32,
  Conversation,
  concat,
  ETHERNET,
  ethernet,
  follow,
  frame,
  ip,
  ipv4,
  Recorder,
  timed,
  udpDatagram,
} from '../testing/index.ts'

const OUTER = ['192.168.0.1', '192.168.0.2'] as const
const OUTER6 = ['fd00::1', 'fd00::2'] as const
const inner = frame(
  ip('10.0.0.1', '10.0.0.2', 17, udpDatagram({ src: '', dst: '', sport: 5000, dport: 53, payload: 'hello' })),
)
const innerIp = inner.slice(14)
const tagged = concat(inner.slice(0, 12), be16(0x8926), be32(0), be16(0x8100), be16(7), inner.slice(12))
/** An MPLS label, the last of its stack. */
const LABEL = Uint8Array.of(0, 1, 0x01, 64)

const overUdp = (port: number, payload: Uint8Array) =>
  frame(ip(...OUTER, 17, udpDatagram({ src: '', dst: '', sport: 55_555, dport: port, payload })))
const vxlan = (id: number, payload: Uint8Array) => concat(Uint8Array.of(8, 0, 0, 0), be32(id << 8), payload)
const geneve = (id: number, type: number, payload: Uint8Array, options = 0) =>
  concat(Uint8Array.of(options / 4, 0), be16(type), be32(id << 8), new Uint8Array(options), payload)
const gre = (flags: number, type: number, ...rest: readonly Uint8Array[]) =>
  frame(ip(...OUTER, 47, concat(be16(flags), be16(type), ...rest)))

describe('the inner flow is the flow', () => {
  test.each([
    ['VXLAN', overUdp(4789, vxlan(42, inner)), 'vxlan 42 192.168.0.1 > 192.168.0.2'],
    ['VXLAN on the port of Linux', overUdp(8472, vxlan(7, inner)), 'vxlan 7 192.168.0.1 > 192.168.0.2'],
    ['Geneve', overUdp(6081, geneve(9, 0x6558, inner, 8)), 'geneve 9 192.168.0.1 > 192.168.0.2'],
    ['Geneve around IP', overUdp(6081, geneve(9, 0x0800, innerIp)), 'geneve 9 192.168.0.1 > 192.168.0.2'],
    ['GRE', gre(0, 0x0800, innerIp), 'gre 192.168.0.1 > 192.168.0.2'],
    [
      'GRE with all it can have',
      gre(0xb000, 0x0800, be32(0), be32(77), be32(1), innerIp),
      'gre 77 192.168.0.1 > 192.168.0.2',
    ],
    ['GRE around Ethernet', gre(0x2000, 0x6558, be32(5), inner), 'gre 5 192.168.0.1 > 192.168.0.2'],
    ['ERSPAN I', gre(0, 0x88be, inner), 'erspan 192.168.0.1 > 192.168.0.2'],
    [
      'ERSPAN II',
      gre(0x1000, 0x88be, be32(1), be16(0x1000), be16(100), be32(0), inner),
      'erspan 100 192.168.0.1 > 192.168.0.2',
    ],
    [
      'ERSPAN III',
      gre(0x1000, 0x22eb, be32(1), be16(0x2000), be16(101), be32(0), be16(0), be16(0), inner),
      'erspan 101 192.168.0.1 > 192.168.0.2',
    ],
    [
      'ERSPAN III with a platform header',
      gre(
        0x1000,
        0x22eb,
        be32(1),
        be16(0x2000),
        be16(101),
        be32(0),
        be16(0),
        be16(1),
        new Uint8Array(8),
        inner,
      ),
      'erspan 101 192.168.0.1 > 192.168.0.2',
    ],
    [
      'ERSPAN III with the EtherType of II',
      gre(0x1000, 0x88be, be32(1), be16(0x2000), be16(101), be32(0), be32(0), inner),
      'erspan 101 192.168.0.1 > 192.168.0.2',
    ],
    [
      'ERSPAN II with the EtherType of III',
      gre(0x1000, 0x22eb, be32(1), be16(0x1000), be16(100), be32(0), inner),
      'erspan 100 192.168.0.1 > 192.168.0.2',
    ],
    [
      'ERSPAN around a frame with a VN-Tag and a VLAN',
      gre(0x1000, 0x88be, be32(1), be16(0x1000), be16(100), be32(0), tagged),
      'erspan 100 192.168.0.1 > 192.168.0.2',
    ],
    ['MPLS in GRE', gre(0, 0x8847, LABEL, innerIp), 'gre 192.168.0.1 > 192.168.0.2'],
    ['MPLS in IP', frame(ip(...OUTER, 137, concat(LABEL, innerIp))), 'mpls 192.168.0.1 > 192.168.0.2'],
    ['IP in IP', frame(ip(...OUTER, 4, innerIp)), 'ipip 192.168.0.1 > 192.168.0.2'],
    ['IP in IPv6', frame(ip(...OUTER6, 4, innerIp)), 'ipip fd00::1 > fd00::2'],
    [
      'tunnels in tunnels',
      frame(ip(...OUTER, 4, ip('172.16.0.1', '172.16.0.2', 4, innerIp))),
      'ipip 192.168.0.1 > 192.168.0.2',
    ],
  ])('in %s', (_name, data, tunnel) => {
    const { recorder, streams } = follow(timed([data]))
    expect(recorder.flows.length).toBe(1)
    expect(recorder.flows[0].ends).toEqual([
      { ip: '10.0.0.1', port: 5000 },
      { ip: '10.0.0.2', port: 53 },
    ])
    expect(recorder.flows[0].tunnel).toBe(tunnel)
    expect(recorder.events[1]).toMatchObject({ kind: 'datagram', bytes: new TextEncoder().encode('hello') })
    expect(streams.loss).toEqual({})
  })

  test('and IPv6 in IPv4 as well', () => {
    const six = ip(
      '2001:db8::1',
      '2001:db8::2',
      17,
      udpDatagram({ src: '', dst: '', sport: 1, dport: 2, payload: 'x' }),
    )
    const { recorder } = follow(timed([frame(ip(...OUTER, 41, six))]))
    expect(recorder.flows[0].ends[0].ip).toBe('2001:db8::1')
    expect(recorder.flows[0].tunnel).toBe('ipip 192.168.0.1 > 192.168.0.2')
  })

  test('also where the outer packet came in fragments', () => {
    const datagram = udpDatagram({ src: '', dst: '', sport: 55_555, dport: 4789, payload: vxlan(42, inner) })
    const { recorder } = follow(
      timed([
        frame(ipv4(...OUTER, 17, datagram.subarray(0, 24), { id: 3, more: true })),
        frame(ipv4(...OUTER, 17, datagram.subarray(24), { id: 3, offset: 24 })),
      ]),
    )
    expect(recorder.flows[0].ends[0].ip).toBe('10.0.0.1')
    expect(recorder.flows[0].tunnel).toBe('vxlan 42 192.168.0.1 > 192.168.0.2')
  })

  test('and a tunnel of one packet is not that of the next', () => {
    const plain = frame(ip('10.0.0.5', '10.0.0.6', 17, udpDatagram({ src: '', dst: '', sport: 1, dport: 2 })))
    const { recorder } = follow(timed([overUdp(4789, vxlan(42, inner)), plain]))
    expect(recorder.flows.map((flow) => flow.tunnel)).toEqual([
      'vxlan 42 192.168.0.1 > 192.168.0.2',
      undefined,
    ])
  })

  test('with all of its streams', () => {
    const conversation = new Conversation().handshake().send(0, 'request').send(1, 'response').close()
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    for (const { data, time } of conversation.packets) {
      const outer = overUdp(4789, vxlan(1, data))
      streams.packet(outer, 0, outer.length, outer.length, time, ETHERNET)
    }
    expect([recorder.text(0), recorder.text(1)]).toEqual(['request', 'response'])
    expect(recorder.flows[0].closed).toBe('fin')
  })
})

describe('what only looks like a tunnel', () => {
  test.each([
    ['no network identifier', 4789, concat(new Uint8Array(8), inner)],
    ['reserved bytes that are not', 4789, concat(Uint8Array.of(8, 0, 0, 0, 0, 0, 1, 1), inner)],
    ['no Ethernet inside', 4789, vxlan(1, new Uint8Array(60))],
    ['too little inside', 8472, vxlan(1, inner.slice(0, 16))],
    ['another version', 6081, concat(Uint8Array.of(0x40), geneve(1, 0x6558, inner).slice(1))],
    ['another version of IP', 6081, geneve(1, 0x86dd, innerIp)],
  ])('for it has %s, is plain UDP', (_name, port, payload) => {
    const { recorder } = follow(timed([overUdp(port, payload)]))
    expect(recorder.flows[0].ends[1]).toEqual({ ip: '192.168.0.2', port })
    expect(recorder.flows[0].tunnel).toBeUndefined()
    expect(recorder.events[1]).toMatchObject({ kind: 'datagram', bytes: payload })
  })

  test('leaves no VLAN of what it only seemed to carry', () => {
    const tagged = ethernet(0x0800, new Uint8Array(60), [42])
    const { recorder } = follow(timed([overUdp(4789, vxlan(1, tagged))]))
    expect(recorder.flows[0].ends[1].port).toBe(4789)
    expect(recorder.flows[0].vlan).toBeUndefined()
  })

  test('for it is from the port, not to it, is plain UDP', () => {
    const data = frame(
      ip(...OUTER, 17, udpDatagram({ src: '', dst: '', sport: 4789, dport: 9, payload: vxlan(1, inner) })),
    )
    expect(follow(timed([data])).recorder.flows[0].tunnel).toBeUndefined()
  })
})

test('PPTP and routed GRE are not followed', () => {
  expect(follow(timed([gre(0x2001, 0x880b, be32(0))])).streams.loss).toEqual({ unknown_packets: 1 })
  expect(follow(timed([gre(0x4000, 0x0800, innerIp)])).streams.loss).toEqual({ unknown_packets: 1 })
})

test('ARP in an overlay is the overlay’s, not a flow', () => {
  const arp = ethernet(0x0806, new Uint8Array(28))
  const { recorder, streams } = follow(timed([overUdp(4789, vxlan(1, arp))]))
  expect(recorder.flows).toEqual([])
  expect(streams.loss).toEqual({ unknown_packets: 1 })
})

test('endless tunnels are given up', () => {
  let packet: Uint8Array = innerIp
  for (let depth = 0; depth < 20; depth++) packet = ip(...OUTER, 4, packet)
  expect(follow(timed([frame(packet)])).streams.loss).toEqual({ malformed_packets: 1 })
})
