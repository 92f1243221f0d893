/** A kind of ICMP message. `quotes`: it is about a packet that could not be delivered, and quotes its beginning. */
export interface IcmpType {
  readonly name: string
  readonly codes?: Readonly<Record<number, string | undefined>>
  readonly quotes?: true
  readonly failure?: true
}

/** RFC 792, RFC 950, RFC 1256, RFC 8335: IANA's registry. */
const V4: Readonly<Record<number, IcmpType | undefined>> = {
  0: { name: 'Echo Reply' },
  3: {
    name: 'Destination Unreachable',
    quotes: true,
    failure: true,
    codes: {
      0: 'network unreachable',
      1: 'host unreachable',
      2: 'protocol unreachable',
      3: 'port unreachable',
      4: 'fragmentation needed',
      5: 'source route failed',
      6: 'network unknown',
      7: 'host unknown',
      8: 'source host isolated',
      9: 'network prohibited',
      10: 'host prohibited',
      11: 'network unreachable for type of service',
      12: 'host unreachable for type of service',
      13: 'communication prohibited',
      14: 'host precedence violation',
      15: 'precedence cutoff',
    },
  },
  4: { name: 'Source Quench', quotes: true },
  5: {
    name: 'Redirect',
    quotes: true,
    codes: { 0: 'for network', 1: 'for host', 2: 'for service and network', 3: 'for service and host' },
  },
  8: { name: 'Echo Request' },
  9: { name: 'Router Advertisement' },
  10: { name: 'Router Solicitation' },
  11: {
    name: 'Time Exceeded',
    quotes: true,
    failure: true,
    codes: { 0: 'time to live exceeded', 1: 'fragment reassembly time exceeded' },
  },
  12: {
    name: 'Parameter Problem',
    quotes: true,
    failure: true,
    codes: { 0: 'pointer indicates the error', 1: 'missing option', 2: 'bad length' },
  },
  13: { name: 'Timestamp Request' },
  14: { name: 'Timestamp Reply' },
  15: { name: 'Information Request' },
  16: { name: 'Information Reply' },
  17: { name: 'Address Mask Request' },
  18: { name: 'Address Mask Reply' },
  42: { name: 'Extended Echo Request' },
  43: { name: 'Extended Echo Reply' },
}

/** RFC 4443, RFC 2710, RFC 4861, RFC 3810. */
const V6: Readonly<Record<number, IcmpType | undefined>> = {
  1: {
    name: 'Destination Unreachable',
    quotes: true,
    failure: true,
    codes: {
      0: 'no route',
      1: 'communication prohibited',
      2: 'beyond scope of source address',
      3: 'address unreachable',
      4: 'port unreachable',
      5: 'source address failed policy',
      6: 'route rejected',
    },
  },
  2: { name: 'Packet Too Big', quotes: true, failure: true },
  3: {
    name: 'Time Exceeded',
    quotes: true,
    failure: true,
    codes: { 0: 'hop limit exceeded', 1: 'fragment reassembly time exceeded' },
  },
  4: {
    name: 'Parameter Problem',
    quotes: true,
    failure: true,
    codes: { 0: 'erroneous header field', 1: 'unrecognized next header', 2: 'unrecognized option' },
  },
  128: { name: 'Echo Request' },
  129: { name: 'Echo Reply' },
  130: { name: 'Multicast Listener Query' },
  131: { name: 'Multicast Listener Report' },
  132: { name: 'Multicast Listener Done' },
  133: { name: 'Router Solicitation' },
  134: { name: 'Router Advertisement' },
  135: { name: 'Neighbor Solicitation' },
  136: { name: 'Neighbor Advertisement' },
  137: { name: 'Redirect' },
  143: { name: 'Multicast Listener Report v2' },
  160: { name: 'Extended Echo Request' },
  161: { name: 'Extended Echo Reply' },
}

export function icmpType(version: number, type: number): IcmpType {
  return (version === 6 ? V6 : V4)[type] ?? { name: `Type ${type}` }
}

/** RFC 792, RFC 950, RFC 8335: types that are answered, each with the type of its answer. */
const ANSWERED_V4: Readonly<Record<number, number | undefined>> = { 8: 0, 13: 14, 15: 16, 17: 18, 42: 43 }
const ANSWERED_V6: Readonly<Record<number, number | undefined>> = { 128: 129, 160: 161 }
const answeredBy = (version: number) => (version === 6 ? ANSWERED_V6 : ANSWERED_V4)

export function isRequest(version: number, type: number): boolean {
  return answeredBy(version)[type] !== undefined
}

/** The type of request that this type answers, or -1. */
export function requestOf(version: number, type: number): number {
  const [asked] = Object.entries(answeredBy(version)).find(([, answer]) => answer === type) ?? []
  return asked === undefined ? -1 : Number(asked)
}
