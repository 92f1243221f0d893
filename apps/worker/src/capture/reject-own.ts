import type { FilterProgram } from '@tapdeck/bpf'
import type { PortRange } from '@tapdeck/units'

export interface OwnPorts {
  /** TCP to or from these ports is not captured, except if the other port cannot be a client's. */
  readonly exceptPorts?: readonly number[]
  /** TCP between these ports and those of servers is not captured. */
  readonly exceptClients?: PortRange
}

const PROTOCOL = { ipip: 4, tcp: 6, udp: 17 } as const
const IPV6_HEADER = 40
const UDP_HEADER = 8
const ETHERNET_HEADER = 14
/** The port of IANA, and the one that Linux had before. */
const VXLAN_PORTS = [4789, 8472]
const VXLAN_HEADER = 8
const GENEVE_PORT = 6081
/** Without options. */
const GENEVE_HEADER = 8
/** Neither the kernel nor a NAT router assigns a lower port to a client. */
const FIRST_CLIENT_PORT = 1024
/** Linux assigns no lower port to a client by default, and Kubernetes no higher one to a Service. */
const FIRST_USUAL_CLIENT_PORT = 32_768

/**
 * Goes to `reject` if a packet is of own traffic, also inside of a tunnel between nodes, else to `not-ours`. Begins at the label
 * `outer`, with the offset of the IP header in the index register, which is moved to the headers inside.
 */
export function rejectOwn(program: FilterProgram, ports: OwnPorts): void {
  enterIp(program, 'outer', { udp: 'udp', ipip: 'inner' })
  enterOverlay(program)
  enterIp(program, 'inner', {})
  rejectPorts(program, ports)
}

/** Moves to the transport header. `tunnels`: where to go if there may be one; TCP goes to `tcp`. */
function enterIp(
  program: FilterProgram,
  name: string,
  tunnels: { readonly udp?: string; readonly ipip?: string },
): void {
  const next = { ...tunnels, tcp: 'tcp' }
  const protocols = ['tcp', 'udp', 'ipip'] as const
  program.label(name).ifFewerIndexed(1, 'not-ours').loadByteIndexed(0).and(0xf0)
  program.ifEqual(0x40, `${name}-4`).ifNotEqual(0x60, 'not-ours')

  program.ifFewerIndexed(IPV6_HEADER, 'not-ours').loadByteIndexed(6)
  for (const protocol of protocols)
    if (next[protocol]) program.ifEqual(PROTOCOL[protocol], `${name}-6-${protocol}`)
  program.jump('not-ours')
  for (const protocol of protocols)
    if (next[protocol])
      program
        .label(`${name}-6-${protocol}`)
        .loadNumber(IPV6_HEADER)
        .plusIndex()
        .toIndex()
        .jump(next[protocol])

  // Only a first fragment has ports.
  program.label(`${name}-4`).ifFewerIndexed(20, 'not-ours').loadHalfIndexed(6).ifAnyBit(0x1fff, 'not-ours')
  program.loadByteIndexed(9)
  for (const protocol of protocols)
    if (next[protocol]) program.ifEqual(PROTOCOL[protocol], `${name}-4-${protocol}`)
  program.jump('not-ours')
  for (const protocol of protocols)
    if (next[protocol]) {
      program.label(`${name}-4-${protocol}`).loadByteIndexed(0).and(0x0f).times(4)
      program.plusIndex().toIndex().jump(next[protocol])
    }
}

/** Moves from a UDP header to the IP header inside of VXLAN or Geneve. */
function enterOverlay(program: FilterProgram): void {
  program
    .label('udp')
    .ifFewerIndexed(UDP_HEADER + GENEVE_HEADER, 'not-ours')
    .loadHalfIndexed(2)
  for (const port of VXLAN_PORTS) program.ifEqual(port, 'vxlan')
  program.ifEqual(GENEVE_PORT, 'geneve').jump('not-ours')
  program.label('vxlan').loadNumber(UDP_HEADER + VXLAN_HEADER + ETHERNET_HEADER)
  program.plusIndex().toIndex().jump('inner')
  program.label('geneve').loadByteIndexed(UDP_HEADER).and(0x3f).times(4)
  program
    .plus(UDP_HEADER + GENEVE_HEADER + ETHERNET_HEADER)
    .plusIndex()
    .toIndex()
}

/** The port of the sender is at 0, that of the receiver at 2. */
function rejectPorts(program: FilterProgram, { exceptPorts = [], exceptClients }: OwnPorts): void {
  program.label('tcp').ifFewerIndexed(4, 'not-ours')
  for (const [port, other, end] of [
    [0, 2, 'from'],
    [2, 0, 'to'],
  ] as const) {
    const label = (what: string) => `${end}-${what}`
    program.loadHalfIndexed(port)
    if (exceptClients) {
      program.ifLess(exceptClients.first, label('other')).ifLess(exceptClients.last + 1, label('own'))
      program.jump(label('other')).label(label('own')).loadHalfIndexed(other)
      program.ifLess(FIRST_USUAL_CLIENT_PORT, 'reject').loadHalfIndexed(port).label(label('other'))
    }
    for (const hub of exceptPorts) program.ifEqual(hub, label('hub'))
    program.jump(label('next')).label(label('hub')).loadHalfIndexed(other)
    program.ifLess(FIRST_CLIENT_PORT, 'not-ours').jump('reject').label(label('next'))
  }
  program.jump('not-ours')
}
