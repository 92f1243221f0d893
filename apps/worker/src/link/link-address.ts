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

/**
 * The TCP ports that carry only Tapdeck's own traffic: that of the address, if it is not shared, and that of the hub. Behind a
 * Service or a proxy they differ, and the packets of a Service have the port of the hub.
 */
export function ownPorts(address: URL, { port: hubPort }: Pick<Config['hub'], 'port'>): readonly number[] {
  const port = address.port === '' ? (address.protocol === 'wss:' ? 443 : 80) : Number(address.port)
  return [...new Set([port, hubPort])].filter((one) => one !== 0 && !COMMON_PORTS.has(one))
}
