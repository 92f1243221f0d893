import { readFileSync } from 'node:fs'
import type { PortRange } from '@tapdeck/units'

/** The ephemeral port range of the kernel; undefined if it cannot be read. */
export function readClientPorts(file = '/proc/sys/net/ipv4/ip_local_port_range'): PortRange | undefined {
  try {
    const [, first, last] = /^(\d+)\s+(\d+)\s*$/.exec(readFileSync(file, 'utf8')) ?? []
    return last === undefined ? undefined : { first: Number(first), last: Number(last) }
  } catch {
    return undefined
  }
}

/**
 * The warning for a port of the hub within the ephemeral range: a client of another server may get that port, and its connection
 * is then neither recorded nor counted as lost.
 */
export function portWarning(ports: readonly number[], clients: PortRange | undefined): string | undefined {
  if (clients === undefined) return undefined
  const own = ports.find((port) => port >= clients.first && port <= clients.last)
  if (own === undefined) return undefined
  return (
    `Traffic of port ${own} (the hub) is not recorded, and the port is within the ephemeral range ` +
    `${clients.first} to ${clients.last}: a connection that happens to get it would be missing. Choose a hub.port outside ` +
    'of the range, reserve the port (net.ipv4.ip_local_reserved_ports), or set tap.capture.captureSelf.'
  )
}
