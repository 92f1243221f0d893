import fc from 'fast-check'

/** Few addresses and ports, so that generated expressions and packets meet. */
export const hosts4 = ['10.0.0.1', '10.0.0.2', '10.1.2.3', '192.168.1.9', '224.0.0.5'] as const
export const hosts6 = ['fd00::1', 'fd00::2', 'fd00:1:2::3', 'ff02::1'] as const
export const stations = ['02:00:00:00:00:01', '02:00:00:00:00:02', 'ff:ff:ff:ff:ff:ff'] as const
export const ports = [0, 22, 53, 80, 81, 443, 8080, 65535] as const
export const vlans = [0, 5, 100, 4095] as const

export interface BuiltPacket {
  readonly bytes: Uint8Array
  readonly length: number
}

const v4 = fc.constantFrom(...hosts4).map((text) => text.split('.').map(Number))
const v6 = fc.constantFrom(...hosts6).map(ipv6Bytes)
const port = fc.constantFrom(...ports).map((value) => [value >> 8, value & 0xff])
const protocol = fc.constantFrom(1, 2, 6, 17, 58, 132, 50, 103, 112)

const transport = fc
  .record({ source: port, target: port, rest: fc.uint8Array({ minLength: 0, maxLength: 24 }) })
  .map(({ source, target, rest }) => [...source, ...target, ...rest])

const ipv4 = fc
  .record({
    options: fc.integer({ min: 0, max: 3 }),
    fragment: fc.constantFrom(0, 0, 0, 0x2000, 0x2001, 0x00b9, 0x4000),
    protocol,
    source: v4,
    target: v4,
    transport,
  })
  .map(({ options, fragment, protocol: next, source, target, transport: inner }) => {
    const header = [0x45 + options, 0, 0, 40, 0, 1, fragment >> 8, fragment & 0xff, 64, next, 0, 0]
    return [...header, ...source, ...target, ...Array<number>(options * 4).fill(1), ...inner]
  })

const ipv6 = fc
  .record({ fragmented: fc.boolean(), protocol, source: v6, target: v6, transport })
  .map(({ fragmented, protocol: next, source, target, transport: inner }) => {
    const header = [0x60, 0, 0, 0, 0, 20, fragmented ? 44 : next, 64, ...source, ...target]
    return [...header, ...(fragmented ? [next, 0, 0, 1, 0, 0, 0, 7] : []), ...inner]
  })

const arp = fc
  .record({ source: v4, target: v4 })
  .map(({ source, target }) => [
    0,
    1,
    8,
    0,
    6,
    4,
    0,
    1,
    ...Array(6).fill(2),
    ...source,
    ...Array(6).fill(0),
    ...target,
  ])

const payload = fc.oneof(
  { weight: 5, arbitrary: ipv4.map((bytes) => [0x0800, bytes] as const) },
  { weight: 3, arbitrary: ipv6.map((bytes) => [0x86dd, bytes] as const) },
  { weight: 1, arbitrary: arp.map((bytes) => [0x0806, bytes] as const) },
  { weight: 1, arbitrary: arp.map((bytes) => [0x8035, bytes] as const) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 40 })
      .chain((bytes) => fc.constantFrom(0x0004, 0x88cc, 0x05dc).map((type) => [type, [...bytes]] as const)),
  },
)

const tags = fc.oneof(
  { weight: 4, arbitrary: fc.constant<(readonly [number, number])[]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(fc.constantFrom(0x8100, 0x88a8, 0x9100), fc.constantFrom(...vlans)), {
      minLength: 1,
      maxLength: 2,
    }),
  },
)

/** Some are cut short; the length on the wire stays. */
function cut(bytes: readonly number[]): fc.Arbitrary<BuiltPacket> {
  const whole = Uint8Array.from(bytes)
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.constant(whole.length) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: whole.length }) },
    )
    .map((size) => ({ bytes: whole.slice(0, size), length: whole.length }))
}

/** A packet of a LINKTYPE_*: Ethernet, both cooked ones, raw IP, or BSD loopback. */
export function arbitraryPacket(link: number): fc.Arbitrary<BuiltPacket> {
  const station = fc
    .constantFrom(...stations)
    .map((text) => text.split(':').map((part) => Number.parseInt(part, 16)))
  return fc
    .record({ payload, tags, source: station, target: station })
    .map(({ payload: [type, bytes], tags: outer, source, target }) => {
      let inner = [...bytes]
      let carried: number = type
      for (const [tpid, vlan] of outer) {
        inner = [vlan >> 8, vlan & 0xff, carried >> 8, carried & 0xff, ...inner]
        carried = tpid
      }
      const half = [carried >> 8, carried & 0xff]
      if (link === 1) return [...target, ...source, ...half, ...inner]
      if (link === 113) return [...Array<number>(14).fill(0), ...half, ...inner]
      if (link === 276) return [...half, ...Array<number>(18).fill(0), ...inner]
      if (link === 0) return [type === 0x86dd ? 10 : type === 0x0800 ? 2 : 7, 0, 0, 0, ...bytes]
      if (link === 108) return [0, 0, 0, type === 0x86dd ? 24 : type === 0x0800 ? 2 : 7, ...bytes]
      return [...bytes]
    })
    .chain(cut)
}

function ipv6Bytes(text: string): number[] {
  const [left, right = ''] = text.split('::')
  const words = (half: string) =>
    half === '' ? [] : half.split(':').map((word) => Number.parseInt(word, 16))
  const [head, tail] = [words(left), words(right)]
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return all.flatMap((word) => [word >> 8, word & 0xff])
}
