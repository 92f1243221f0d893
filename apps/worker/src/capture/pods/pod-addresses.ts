import type { NetworkInterfaceInfo } from 'node:os'
import { parseIp } from '@tapdeck/ip'

const ETHERNET_HEADER = 14
const IPV4 = 0x0800
const IPV6 = 0x86dd
const LOOPBACK_NET = 127

/**
 * The addresses of a pod, which replace those of its loopback in recorded packets: 127.0.0.1 is a different machine in
 * each pod. Neither the calls of two pods nor their packets in Wireshark are confused then.
 */
export class PodAddresses {
  readonly text: string
  readonly #ipv4: Uint8Array
  readonly #ipv6: Uint8Array

  private constructor(ipv4: string | undefined, ipv6: string | undefined, namespace: number) {
    this.text = ipv4 ?? ipv6 ?? ''
    // A pod without IPv4 gets an address of the reserved block 240.0.0.0/4: it has no name, but is its own.
    this.#ipv4 = (ipv4 && parseIp(ipv4)) || reserved(namespace)
    // A pod without IPv6 gets its IPv4 address, mapped (RFC 4291, section 2.5.5.2).
    this.#ipv6 = (ipv6 && parseIp(ipv6)) || mapped(this.#ipv4)
  }

  /** Undefined if no interface but loopback has an address. `namespace`: a number that no other pod of this node has. */
  static of(
    interfaces: NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]>,
    namespace: number,
  ): PodAddresses | undefined {
    const all = Object.values(interfaces).flatMap((addresses) => addresses ?? [])
    const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    const ipv4 = outward.find(({ family }) => family === 'IPv4')?.address
    const ipv6 = outward.find(({ family }) => family === 'IPv6')?.address
    return ipv4 === undefined && ipv6 === undefined ? undefined : new PodAddresses(ipv4, ipv6, namespace)
  }

  /** Replaces loopback addresses in the IP header of the Ethernet frame `bytes[start, end)`. */
  replace(bytes: Uint8Array, start: number, end: number): void {
    const ip = start + ETHERNET_HEADER
    const type = end >= ip ? (bytes[ip - 2] << 8) | bytes[ip - 1] : 0
    if (type === IPV4 && end >= ip + 20) {
      const isSource = this.#replaceIpv4(bytes, ip + 12)
      const isDestination = this.#replaceIpv4(bytes, ip + 16)
      const header = ip + ((bytes[ip] & 15) << 2)
      if ((isSource || isDestination) && header <= end) setChecksum(bytes, ip, header)
    } else if (type === IPV6 && end >= ip + 40) {
      this.#replaceIpv6(bytes, ip + 8)
      this.#replaceIpv6(bytes, ip + 24)
    }
  }

  #replaceIpv4(bytes: Uint8Array, at: number): boolean {
    if (bytes[at] !== LOOPBACK_NET) return false
    bytes.set(this.#ipv4, at)
    return true
  }

  #replaceIpv6(bytes: Uint8Array, at: number): void {
    for (let i = 0; i < 15; i++) if (bytes[at + i] !== 0) return
    if (bytes[at + 15] === 1) bytes.set(this.#ipv6, at)
  }
}

function reserved(namespace: number): Uint8Array {
  return Uint8Array.of(240 | ((namespace >>> 24) & 7), namespace >>> 16, namespace >>> 8, namespace)
}

function mapped(ipv4: Uint8Array): Uint8Array {
  return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...ipv4)
}

/** RFC 1071. The checksums of TCP and UDP are never computed on loopback, so they stay as they are. */
function setChecksum(bytes: Uint8Array, at: number, end: number): void {
  bytes[at + 10] = 0
  bytes[at + 11] = 0
  let sum = 0
  for (let i = at; i < end; i += 2) sum += (bytes[i] << 8) | bytes[i + 1]
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  bytes[at + 10] = ~sum >>> 8
  bytes[at + 11] = ~sum
}
