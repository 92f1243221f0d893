import type { Node } from '@tapdeck/inventory'
import { canonicalIp } from '@tapdeck/ip'

/**
 * Nodes with the addresses of their devices, such as tunnels and bridges, that their workers report. An address that several
 * nodes have (of docker0) or that is listed for a node is left out.
 */
export function withDevices(nodes: readonly Node[], devices: ReadonlyMap<string, readonly string[]>): Node[] {
  const listed = new Set(nodes.flatMap(({ ips }) => ips.map((ip) => canonicalIp(ip) ?? ip)))
  const holders = new Map<string, number>()
  const reported = [...devices].map(([name, texts]) => {
    const ips = new Set(texts.flatMap((text) => canonicalIp(text) ?? []))
    for (const ip of ips) holders.set(ip, (holders.get(ip) ?? 0) + 1)
    return [name, ips] as const
  })
  const byName = new Map(reported)
  return nodes.map((node) => {
    if (node.until !== undefined) return node
    const own = [...(byName.get(node.name) ?? [])].filter((ip) => holders.get(ip) === 1 && !listed.has(ip))
    return own.length > 0 ? { ...node, deviceIps: own } : node
  })
}
