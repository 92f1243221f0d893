import { canonicalIp, formatIPv4, formatIPv6, parseIpBlock } from '@tapdeck/ip'
import type { Node } from './inventory.ts'

/** Bits of a block that has addresses besides those of the node. */
const MIN_HOST_BITS = 2

/**
 * All addresses of a node, canonical. The first address of a block of pods is that of the tunnel device (Flannel), and the
 * next one that of the bridge, from which the kubelet probes pods. Where a pod has one of them, the pod counts.
 */
export function nodeAddresses({ ips, deviceIps = [], podCIDRs = [] }: Node): string[] {
  const own = [...ips, ...deviceIps].map((ip) => canonicalIp(ip) ?? ip)
  return [...new Set([...own, ...podCIDRs.flatMap(firstAddresses)])]
}

function firstAddresses(text: string): string[] {
  const block = parseIpBlock(text)
  if (block === undefined || block.bytes.length * 8 - block.bits < MIN_HOST_BITS) return []
  const bytes = block.bytes.map((byte, at) => byte & hostMask(block.bits - at * 8))
  const format = bytes.length === 4 ? formatIPv4 : formatIPv6
  const network = format(bytes, 0)
  bytes[bytes.length - 1]! |= 1
  return [network, format(bytes, 0)]
}

function hostMask(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff00 >> bits
}
