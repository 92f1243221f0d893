import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PortRange } from '@tapdeck/units'

/** The ports that the kernel gives to clients. */
export interface ClientPorts extends PortRange {
  /** Except these. */
  readonly reserved: readonly PortRange[]
}

const FOLDER = '/proc/sys/net/ipv4'

/** Undefined if they cannot be read. */
export function readClientPorts(folder = FOLDER): ClientPorts | undefined {
  const [, first, last] = /^(\d+)\s+(\d+)\s*$/.exec(read(folder, 'ip_local_port_range')) ?? []
  if (last === undefined) return undefined
  const reserved = read(folder, 'ip_local_reserved_ports').matchAll(/(\d+)(?:-(\d+))?/g)
  return {
    ...{ first: Number(first), last: Number(last) },
    reserved: [...reserved].map(([, from, to = from]) => ({ first: Number(from), last: Number(to) })),
  }
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8')
  } catch {
    return ''
  }
}

/** Whether the kernel may give one of these ports to a client. */
export function isShared(own: PortRange, { first, last, reserved }: ClientPorts): boolean {
  const isReserved = reserved.some((range) => range.first <= own.first && range.last >= own.last)
  return !isReserved && own.first <= last && own.last >= first
}

/**
 * The warning for a port of the hub within the ephemeral range: a client of another server may get that port, and its connection
 * is then neither recorded nor counted as lost.
 */
export function portWarning(ports: readonly number[], clients: ClientPorts | undefined): string | undefined {
  if (clients === undefined) return undefined
  const own = ports.find((port) => isShared({ first: port, last: port }, clients))
  if (own === undefined) return undefined
  return (
    `Traffic of port ${own} (the hub) is not recorded, and the port is within the ephemeral range ` +
    `${clients.first} to ${clients.last}: a connection that happens to get it would be missing. Choose a hub.port outside ` +
    'of the range, reserve the port (net.ipv4.ip_local_reserved_ports), or set tap.capture.captureSelf.'
  )
}
