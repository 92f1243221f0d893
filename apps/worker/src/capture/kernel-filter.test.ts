import { BpfFilter } from '@tapdeck/bpf'
import { concat, frame, ip, ipv4, tcpFrame, tcpSegment, udpDatagram, udpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { kernelFilter, rejectAll } from './kernel-filter.ts'
import { type FilteredPacket, runFilter } from './testing/run-filter.ts'

const ETHER = 1
const LOOPBACK = 772
const NONE = 0xfffe
const OUTGOING = 4

function packet(bytes: Uint8Array, more: Partial<FilteredPacket> = {}): FilteredPacket {
  const etherType = (bytes[12] << 8) | bytes[13]
  return { bytes, protocol: etherType, packetType: 0, interfaceIndex: 2, hardwareType: ETHER, ...more }
}

const v4 = { src: '10.0.0.1', dst: '10.0.0.2' }
const v6 = { src: 'fd00::1', dst: 'fd00::2' }

/** Whether a filter keeps a TCP packet with these ports. */
function keeping(filter: Uint8Array, ends: typeof v4, hardwareType: number) {
  return (sport: number, dport: number): boolean => {
    const whole = tcpFrame({ ...ends, sport, dport, payload: 'x'.repeat(40) })
    const bytes = hardwareType === NONE ? whole.subarray(14) : whole
    const protocol = ends === v4 ? 0x0800 : 0x86dd
    return runFilter(filter, packet(bytes, { hardwareType, protocol })) > 0
  }
}

test('captured packets are truncated to the snap length', () => {
  const filter = kernelFilter({ snapLength: 200 })
  expect(runFilter(filter, packet(tcpFrame({ ...v4, sport: 1, dport: 2 })))).toBe(200)
  expect(runFilter(rejectAll(), packet(tcpFrame({ ...v4, sport: 1, dport: 2 })))).toBe(0)
})

test('on loopback only the incoming packet is captured', () => {
  for (const exceptPorts of [undefined, [8898]]) {
    const filter = kernelFilter({ snapLength: 99, ...(exceptPorts ? { exceptPorts } : {}) })
    const bytes = tcpFrame({ ...v4, sport: 1, dport: 2 })
    expect(runFilter(filter, packet(bytes, { hardwareType: LOOPBACK, packetType: OUTGOING }))).toBe(0)
    expect(runFilter(filter, packet(bytes, { hardwareType: LOOPBACK }))).toBe(99)
    expect(runFilter(filter, packet(bytes, { packetType: OUTGOING }))).toBe(99)
  }
})

test('the own ports are excluded in both directions, over IPv4 and IPv6, with and without Ethernet', () => {
  const filter = kernelFilter({ snapLength: 99, exceptPorts: [9443, 8898] })
  for (const ends of [v4, v6])
    for (const hardwareType of [ETHER, LOOPBACK, NONE]) {
      const kept = keeping(filter, ends, hardwareType)
      expect(kept(8898, 40_000)).toBe(false)
      expect(kept(40_000, 8898)).toBe(false)
      expect(kept(8898, 8898)).toBe(false)
      expect(kept(9443, 40_000)).toBe(false)
      expect(kept(40_000, 9443)).toBe(false)
      expect(kept(8897, 8899)).toBe(true)
      // A client of another server that has the same port by chance.
      for (const [server, isKept] of [
        [443, true],
        [1023, true],
        [1024, false],
      ] as const) {
        expect(kept(8898, server)).toBe(isKept)
        expect(kept(server, 8898)).toBe(isKept)
      }
    }
})

test('own connections to servers are excluded in both directions, with and without ports of the hub', () => {
  const exceptClients = { first: 28_864, last: 28_927 }
  for (const exceptPorts of [[], [8898]])
    for (const ends of [v4, v6])
      for (const hardwareType of [ETHER, LOOPBACK, NONE]) {
        const filter = kernelFilter({ snapLength: 99, exceptPorts, exceptClients })
        const kept = keeping(filter, ends, hardwareType)
        for (const own of [28_864, 28_900, 28_927])
          for (const server of [443, 9000, 30_080]) {
            expect(kept(own, server)).toBe(false)
            expect(kept(server, own)).toBe(false)
          }
        // Another server that has one of these ports, and its clients.
        expect(kept(40_000, 28_900)).toBe(true)
        expect(kept(28_900, 40_000)).toBe(true)
        for (const [one, other] of [
          [28_863, 443],
          [443, 28_928],
          [40_000, 443],
        ] as const)
          expect(kept(one, other)).toBe(true)
        expect(kept(8898, 40_000)).toBe(exceptPorts.length === 0)
        expect(kept(28_900, 8898)).toBe(false)
        // The hub may have one of the ports.
        const within = keeping(
          kernelFilter({ snapLength: 99, exceptPorts: [28_900], exceptClients }),
          ends,
          hardwareType,
        )
        expect(within(28_900, 443)).toBe(false)
        expect(within(40_000, 28_900)).toBe(false)
      }
})

/** Frames are not padded then. */
const PAYLOAD = 40
/** Tunnels between nodes, around an IP packet. */
const tunnels = [
  ['VXLAN', 17, 4789, (inner: Uint8Array) => [Uint8Array.of(8, 0, 0, 0, 0, 0, 1, 0), frame(inner)]],
  ['VXLAN of Linux', 17, 8472, (inner: Uint8Array) => [Uint8Array.of(8, 0, 0, 0, 0, 0, 1, 0), frame(inner)]],
  ['Geneve', 17, 6081, (inner: Uint8Array) => [Uint8Array.of(0, 0, 0x65, 0x58, 0, 0, 1, 0), frame(inner)]],
  [
    'Geneve with options',
    17,
    6081,
    (inner: Uint8Array) => [
      Uint8Array.of(2, 0, 0x65, 0x58, 0, 0, 1, 0),
      new Uint8Array(8).fill(0xff),
      frame(inner),
    ],
  ],
  ['IP in IP', 4, undefined, (inner: Uint8Array) => [inner]],
] as const

test.each(tunnels)(
  'own traffic inside of %s is excluded, and other traffic is not',
  (_, protocol, port, around) => {
    const filter = kernelFilter({
      ...{ snapLength: 99, exceptPorts: [8898], exceptClients: { first: 28_864, last: 28_927 } },
    })
    const [from, to] = ['192.168.0.1', '192.168.0.2']
    for (const ends of [v4, v6])
      for (const outer of [
        { src: from, dst: to },
        { src: 'fd01::1', dst: 'fd01::2' },
      ]) {
        const framed = (sport: number, dport: number, length = Number.POSITIVE_INFINITY) => {
          const segment = tcpSegment({ ...ends, sport, dport, payload: 'x'.repeat(PAYLOAD) })
          const payload = concat(...around(ip(ends.src, ends.dst, 6, segment)))
          const inside =
            port === undefined ? payload : udpDatagram({ ...outer, sport: 55_555, dport: port, payload })
          return frame(ip(outer.src, outer.dst, protocol, inside)).subarray(0, length)
        }
        const kept = (bytes: Uint8Array) => runFilter(filter, packet(bytes)) > 0
        expect(kept(framed(40_000, 8898))).toBe(false)
        expect(kept(framed(8898, 40_000))).toBe(false)
        expect(kept(framed(28_900, 443))).toBe(false)
        expect(kept(framed(443, 28_900))).toBe(false)
        expect(kept(framed(40_000, 443))).toBe(true)
        expect(kept(framed(40_000, 28_900))).toBe(true)
        // What is cut before the ports is kept, wherever it is cut.
        const whole = framed(40_000, 8898)
        const ports = whole.length - PAYLOAD - 20
        for (let length = 14; length < ports + 4; length++)
          expect(kept(framed(40_000, 8898, length))).toBe(true)
      }
  },
)

test('IPv4 options do not hide the port', () => {
  const filter = kernelFilter({ snapLength: 99, exceptPorts: [9443, 8898] })
  const plain = ipv4(v4.src, v4.dst, 6, tcpSegment({ ...v4, sport: 5005, dport: 8898 }))
  const withOptions = new Uint8Array(plain.length + 8)
  withOptions.set(plain.subarray(0, 20))
  withOptions.set(plain.subarray(20), 28)
  withOptions[0] = 0x47
  expect(runFilter(filter, packet(frame(withOptions)))).toBe(0)
})

test('other transports, later fragments, truncated packets and other link layers are captured', () => {
  const filter = kernelFilter({ snapLength: 99, exceptPorts: [9443, 8898] })
  expect(runFilter(filter, packet(udpFrame({ ...v4, sport: 8898, dport: 8898 })))).toBe(99)
  const fragment = frame(
    ipv4(v4.src, v4.dst, 6, tcpSegment({ ...v4, sport: 8898, dport: 1 }), { offset: 1480 }),
  )
  expect(runFilter(filter, packet(fragment))).toBe(99)
  const own = tcpFrame({ ...v4, sport: 8898, dport: 1 })
  expect(runFilter(filter, packet(own.subarray(0, 36)))).toBe(99)
  expect(runFilter(filter, packet(own, { hardwareType: 803 }))).toBe(99)
  expect(runFilter(filter, packet(frame(ip(v6.src, v6.dst, 17, new Uint8Array(8)))))).toBe(99)
})

test('only packets of the named interfaces are captured', () => {
  const filter = kernelFilter({ snapLength: 99, interfaces: [3, 7] })
  const bytes = tcpFrame({ ...v4, sport: 1, dport: 2 })
  const kept = [2, 3, 7, 8].filter(
    (interfaceIndex) => runFilter(filter, packet(bytes, { interfaceIndex })) > 0,
  )
  expect(kept).toEqual([3, 7])
})

test('an expression applies in addition to the excluded port, with and without Ethernet headers', () => {
  const expression = BpfFilter.parse('tcp port 80 or 8898')
  const filter = kernelFilter({ snapLength: 99, exceptPorts: [9443, 8898], expression })
  for (const ends of [v4, v6])
    for (const hardwareType of [ETHER, LOOPBACK, NONE, 803]) {
      const kept = (dport: number) => {
        const whole = tcpFrame({ ...ends, sport: 5005, dport, payload: 'x'.repeat(40) })
        const bytes = hardwareType === NONE ? whole.subarray(14) : whole
        const network = hardwareType === NONE ? 0 : 14
        const protocol = ends === v4 ? 0x0800 : 0x86dd
        return runFilter(filter, packet(bytes, { hardwareType, protocol, network })) > 0
      }
      expect(kept(80)).toBe(true)
      expect(kept(81)).toBe(false)
      // Packets with unknown headers cannot be recognized as Tapdeck's own.
      expect(kept(8898)).toBe(hardwareType === 803)
    }
})

test('a VLAN expression matches the tag that the kernel stripped', () => {
  const filter = kernelFilter({ snapLength: 99, expression: BpfFilter.parse('vlan 7 and udp port 53') })
  const bytes = udpFrame({ ...v4, sport: 9, dport: 53 })
  expect(runFilter(filter, packet(bytes, { tag: 7 }))).toBe(99)
  expect(runFilter(filter, packet(bytes, { tag: 8 }))).toBe(0)
  expect(runFilter(filter, packet(bytes))).toBe(0)
})
