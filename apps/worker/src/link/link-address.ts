import { linkPath } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'

const WILDCARD_ADDRESSES = new Set(['0.0.0.0', '::', ''])
/** Ports that carry much other traffic, and therefore must be recorded. */
const COMMON_PORTS = new Set([80, 443])

/**
 * The address of the hub for workers: `hub.url`, or the address on which the hub listens, with TLS if it uses TLS. Throws
 * `TypeError` for an invalid URL.
 */
export function linkAddress(
  { url, host, port }: Pick<Config['hub'], 'url' | 'host' | 'port'>,
  secure = false,
): URL {
  const local = WILDCARD_ADDRESSES.has(host) ? '127.0.0.1' : host
  const address = new URL(
    url || `${secure ? 'https' : 'http'}://${local.includes(':') ? `[${local}]` : local}:${port}`,
  )
  address.protocol = address.protocol === 'https:' || address.protocol === 'wss:' ? 'wss:' : 'ws:'
  address.pathname = `${address.pathname.replace(/\/$/, '')}${linkPath}`
  address.search = ''
  return address
}

/** The TCP port that carries only Tapdeck's own traffic; undefined if the port is shared. */
export function ownPort(address: URL): number | undefined {
  const port = address.port === '' ? (address.protocol === 'wss:' ? 443 : 80) : Number(address.port)
  return port === 0 || COMMON_PORTS.has(port) ? undefined : port
}
