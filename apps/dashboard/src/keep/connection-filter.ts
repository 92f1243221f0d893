import type { CompactCall } from '../client/call-details.ts'

/** A BPF expression that matches the packets of the connection of a call. */
export function connectionFilter({ src, dst }: Pick<CompactCall, 'src' | 'dst'>): string {
  const hosts = [...new Set([src.ip, dst.ip])].map((ip) => `host ${ip}`)
  const ports = [...new Set([src.port, dst.port])].filter((port) => port > 0).map((port) => `port ${port}`)
  return [...hosts, ...ports].join(' and ')
}
