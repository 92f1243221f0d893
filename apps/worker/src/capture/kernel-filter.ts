import { type BpfFilter, FilterProgram } from '@tapdeck/bpf'
import type { PortRange } from '@tapdeck/units'

export interface FilterOptions {
  /** Bytes kept of each packet. */
  readonly snapLength: number
  /** TCP to or from these ports is not captured, except if the other port cannot be a client's. */
  readonly exceptPorts?: readonly number[]
  /** TCP between these ports and those of servers is not captured. */
  readonly exceptClients?: PortRange
  /** Capture only matching packets; absent: all. */
  readonly expression?: BpfFilter
  /** Capture only packets of these interfaces; absent: all. */
  readonly interfaces?: readonly number[]
}

/** Ancillary loads (linux/filter.h): metadata of a packet. */
const ANCILLARY = 0xfffff000
const PROTOCOL = ANCILLARY
const PACKET_TYPE = ANCILLARY + 4
const INTERFACE = ANCILLARY + 8
const HARDWARE_TYPE = ANCILLARY + 28

const PACKET_OUTGOING = 4
/** linux/if_arp.h */
const ARPHRD = { ether: 1, rawIp: 519, tunnel: 768, loopback: 772, none: 0xfffe } as const
const ETHERNET_HEADER = 14
const TCP = 6
/** Neither the kernel nor a NAT router assigns a lower port to a client. */
const FIRST_CLIENT_PORT = 1024
/** Linux assigns no lower port to a client by default, and Kubernetes no higher one to a Service. */
const FIRST_USUAL_CLIENT_PORT = 32_768

/** A program that rejects all packets. */
export function rejectAll(): Uint8Array {
  return new FilterProgram().accept(0).assemble()
}

/**
 * A classic BPF program for `SO_ATTACH_FILTER`: rejected packets are never copied into the ring. A load beyond the end of a
 * packet rejects it, so lengths are checked first.
 */
export function kernelFilter(options: FilterOptions): Uint8Array {
  const { exceptPorts = [], exceptClients } = options
  const program = new FilterProgram()
  if (options.interfaces) {
    program.loadWord(INTERFACE)
    for (const index of options.interfaces) program.ifEqual(index, 'wanted')
    program.jump('reject').label('wanted')
  }
  // Every packet on loopback is seen twice, outgoing and incoming: the incoming one is kept.
  program.loadWord(HARDWARE_TYPE).ifNotEqual(ARPHRD.loopback, 'not-loopback')
  program.loadWord(PACKET_TYPE).ifEqual(PACKET_OUTGOING, 'reject')
  if (exceptPorts.length > 0 || exceptClients) {
    program.jump('ethernet').label('not-loopback')
    program.ifEqual(ARPHRD.ether, 'ethernet')
    program.ifEqual(ARPHRD.none, 'raw').ifEqual(ARPHRD.rawIp, 'raw').ifEqual(ARPHRD.tunnel, 'raw')
    program.jump('not-ours')
    rejectOwn(program, 'ethernet', ETHERNET_HEADER, options)
    rejectOwn(program, 'raw', 0, options)
  } else program.label('not-loopback')
  program.label('not-ours')
  if (options.expression) emitExpression(program, options.expression)
  return program.label('accept').accept(options.snapLength).label('reject').accept(0).assemble()
}

function emitExpression(program: FilterProgram, expression: BpfFilter): void {
  program.loadWord(HARDWARE_TYPE)
  for (const type of [ARPHRD.ether, ARPHRD.loopback]) program.ifEqual(type, 'matching-ethernet')
  expression.emitNetwork(program, 'accept', 'reject')
  program.label('matching-ethernet')
  expression.emitEthernet(program, 'accept', 'reject')
}

/** `at`: offset of the IP header. The kernel strips VLAN tags before filters run. */
function rejectOwn(program: FilterProgram, name: string, at: number, options: FilterOptions): void {
  program.label(name).loadWord(PROTOCOL)
  program.ifEqual(0x0800, `${name}-4`).ifEqual(0x86dd, `${name}-6`).jump('not-ours')

  program
    .label(`${name}-4`)
    .loadLength()
    .ifLess(at + 24, 'not-ours')
  program.loadByte(at + 9).ifNotEqual(TCP, 'not-ours')
  program.loadHalf(at + 6).ifAnyBit(0x1fff, 'not-ours')
  program.loadHeaderLength(at)
  rejectPorts(program, `${name}-4`, options, (offset) => program.loadHalfIndexed(at + offset))

  program
    .label(`${name}-6`)
    .loadLength()
    .ifLess(at + 44, 'not-ours')
  program.loadByte(at + 6).ifNotEqual(TCP, 'not-ours')
  rejectPorts(program, `${name}-6`, options, (offset) => program.loadHalf(at + 40 + offset))
}

/** `load` loads half a word of the TCP header: the port of the sender is at 0, that of the receiver at 2. */
function rejectPorts(
  program: FilterProgram,
  name: string,
  { exceptPorts = [], exceptClients }: FilterOptions,
  load: (offset: number) => void,
): void {
  for (const [offset, other, end] of [
    [0, 2, 'from'],
    [2, 0, 'to'],
  ] as const) {
    const label = (what: string) => `${name}-${end}-${what}`
    load(offset)
    if (exceptClients) {
      program.ifLess(exceptClients.first, label('other')).ifLess(exceptClients.last + 1, label('own'))
      program.jump(label('other')).label(label('own'))
      load(other)
      program.ifLess(FIRST_USUAL_CLIENT_PORT, 'reject')
      load(offset)
      program.label(label('other'))
    }
    for (const port of exceptPorts) program.ifEqual(port, label('hub'))
    program.jump(label('next')).label(label('hub'))
    load(other)
    program.ifLess(FIRST_CLIENT_PORT, 'not-ours').jump('reject').label(label('next'))
  }
  program.jump('not-ours')
}
