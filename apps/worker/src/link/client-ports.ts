import { readFileSync } from 'node:fs'

/** The ports that the kernel gives to clients, both ends of the range included. */
export interface ClientPorts {
  readonly first: number
  readonly last: number
}

/** Undefined where it does not say so. */
export function readClientPorts(file = '/proc/sys/net/ipv4/ip_local_port_range'): ClientPorts | undefined {
  try {
    const [, first, last] = /^(\d+)\s+(\d+)\s*$/.exec(readFileSync(file, 'utf8')) ?? []
    return last === undefined ? undefined : { first: Number(first), last: Number(last) }
  } catch {
    return undefined
  }
}

/**
 * What is to be said where our own port, of which nothing is recorded, may be a client's of somebody else: such a
 * connection is missing, and nothing counts it.
 */
export function portWarning(own: number | undefined, clients: ClientPorts | undefined): string | undefined {
  if (own === undefined || clients === undefined || own < clients.first || own > clients.last)
    return undefined
  return (
    `what has port ${own} is not recorded, as that is the hub's, and clients of other servers may get that port, too ` +
    `(${clients.first} to ${clients.last}): choose a hub.port outside of these, keep it from clients ` +
    '(net.ipv4.ip_local_reserved_ports), or set tap.capture.captureSelf'
  )
}
