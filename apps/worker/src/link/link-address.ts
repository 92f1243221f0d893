import { linkPath } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'

const EVERYWHERE = new Set(['0.0.0.0', '::', ''])
/** Ports of all the world's traffic: leaving them out would leave out what people look for. */
const COMMON_PORTS = new Set([80, 443])

/**
 * Where the hub takes workers in: `hub.url`, or the address it listens on, by TLS where it speaks that. Throws
 * `TypeError` for a bad URL.
 */
export function linkAddress(
  { url, host, port }: Pick<Config['hub'], 'url' | 'host' | 'port'>,
  secure = false,
): URL {
  const local = EVERYWHERE.has(host) ? '127.0.0.1' : host
  const address = new URL(
    url || `${secure ? 'https' : 'http'}://${local.includes(':') ? `[${local}]` : local}:${port}`,
  )
  address.protocol = address.protocol === 'https:' || address.protocol === 'wss:' ? 'wss:' : 'ws:'
  address.pathname = `${address.pathname.replace(/\/$/, '')}${linkPath}`
  address.search = ''
  return address
}

/** The TCP port that carries our own traffic and nothing else; undefined where others share it. */
export function ownPort(address: URL): number | undefined {
  const port = address.port === '' ? (address.protocol === 'wss:' ? 443 : 80) : Number(address.port)
  return port === 0 || COMMON_PORTS.has(port) ? undefined : port
}
