import { type BpfFilter, FilterProgram } from '@tapdeck/bpf'
import { parseAddress } from '@tapdeck/wire'

/** Where our own traffic has one end: a TCP port, at this address or at any. */
export interface OwnEnd {
  readonly address?: string
  readonly port: number
}

export interface FilterOptions {
  /** Bytes kept of each packet. */
  readonly snapLength: number
  /** Packets to or from these are not captured. */
  readonly except?: readonly OwnEnd[]
  /** Only packets that match; absent means all. */
  readonly expression?: BpfFilter
  /** Only packets of these interfaces; absent means all. */
  readonly interfaces?: readonly number[]
}

/** Ancillary loads (linux/filter.h): what the kernel knows of a packet besides its bytes. */
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

/** The program that lets no packet through. */
export function rejectAll(): Uint8Array {
  return new FilterProgram().accept(0).assemble()
}

/**
 * A classic BPF program for `SO_ATTACH_FILTER`: what it rejects is never copied into the ring. A load beyond the end
 * of a packet rejects it, so lengths are checked before.
 */
export function kernelFilter(options: FilterOptions): Uint8Array {
  const program = new FilterProgram()
  if (options.interfaces) {
    program.loadWord(INTERFACE)
    for (const index of options.interfaces) program.ifEqual(index, 'wanted')
    program.jump('reject').label('wanted')
  }
  // Every packet on loopback passes twice, on its way out and in again: the second one is kept.
  program.loadWord(HARDWARE_TYPE).ifNotEqual(ARPHRD.loopback, 'not-loopback')
  program.loadWord(PACKET_TYPE).ifEqual(PACKET_OUTGOING, 'reject')
  const ports = byPort(options.except ?? [])
  if (ports.size > 0) {
    program.jump('ethernet').label('not-loopback')
    program.ifEqual(ARPHRD.ether, 'ethernet')
    program.ifEqual(ARPHRD.none, 'raw').ifEqual(ARPHRD.rawIp, 'raw').ifEqual(ARPHRD.tunnel, 'raw')
    program.jump('not-ours')
    rejectOwn(program, 'ethernet', ETHERNET_HEADER, ports)
    rejectOwn(program, 'raw', 0, ports)
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

/** By port, the addresses that it is ours at, as words; none: at all of them. */
type OwnPorts = ReadonlyMap<number, readonly (readonly number[])[]>

function byPort(ends: readonly OwnEnd[]): OwnPorts {
  const ports = new Map<number, (readonly number[])[]>()
  const everywhere = new Set(ends.filter(({ address }) => address === undefined).map(({ port }) => port))
  for (const { address, port } of ends) {
    const addresses = ports.get(port) ?? []
    if (address !== undefined && !everywhere.has(port)) addresses.push(wordsOf(parseAddress(address)))
    ports.set(port, addresses)
  }
  return ports
}

function wordsOf(address: Uint8Array): number[] {
  const { buffer, byteOffset, byteLength } = address
  const view = new DataView(buffer, byteOffset, byteLength)
  return Array.from({ length: byteLength / 4 }, (_, word) => view.getUint32(word * 4))
}

/** `at` is where the IP header begins. VLAN tags are out of the way: the kernel strips them before filters run. */
function rejectOwn(program: FilterProgram, name: string, at: number, ports: OwnPorts): void {
  program.label(name).loadWord(PROTOCOL)
  program.ifEqual(0x0800, `${name}-4`).ifEqual(0x86dd, `${name}-6`).jump('not-ours')

  program
    .label(`${name}-4`)
    .loadLength()
    .ifLess(at + 24, 'not-ours')
  program.loadByte(at + 9).ifNotEqual(TCP, 'not-ours')
  program.loadHalf(at + 6).ifAnyBit(0x1fff, 'not-ours')
  program.loadHeaderLength(at)
  program.loadHalfIndexed(at)
  rejectEnd(program, `${name}-4-from`, at + 12, 1, ports)
  program.loadHalfIndexed(at + 2)
  rejectEnd(program, `${name}-4-to`, at + 16, 1, ports)
  program.jump('not-ours')

  program
    .label(`${name}-6`)
    .loadLength()
    .ifLess(at + 44, 'not-ours')
  program.loadByte(at + 6).ifNotEqual(TCP, 'not-ours')
  program.loadHalf(at + 40)
  rejectEnd(program, `${name}-6-from`, at + 8, 4, ports)
  program.loadHalf(at + 42)
  rejectEnd(program, `${name}-6-to`, at + 24, 4, ports)
  program.jump('not-ours')
}

/** The port of that end is loaded; its address has so many words from `at` on. */
function rejectEnd(program: FilterProgram, name: string, at: number, words: number, ports: OwnPorts): void {
  for (const [port, addresses] of ports)
    program.ifEqual(port, addresses.length === 0 ? 'reject' : `${name}-${port}`)
  program.jump(`${name}-over`)
  for (const [port, addresses] of ports) {
    if (addresses.length === 0) continue
    program.label(`${name}-${port}`)
    for (const address of addresses) {
      if (address.length !== words) continue
      const next = program.freshLabel()
      for (let word = 0; word < words; word++)
        program.loadWord(at + word * 4).ifNotEqual(address[word]!, next)
      program.jump('reject').label(next)
    }
    program.jump(`${name}-over`)
  }
  program.label(`${name}-over`)
}
