import { type BpfFilter, FilterProgram } from '@tapdeck/bpf'
import { type OwnPorts, rejectOwn } from './reject-own.ts'

export interface FilterOptions extends OwnPorts {
  /** Bytes kept of each packet. */
  readonly snapLength: number
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
    program.label('ethernet').loadNumber(ETHERNET_HEADER).jump('ip').label('raw').loadNumber(0)
    program.label('ip').toIndex().loadWord(PROTOCOL)
    program.ifEqual(0x0800, 'outer').ifEqual(0x86dd, 'outer').jump('not-ours')
    rejectOwn(program, options)
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
