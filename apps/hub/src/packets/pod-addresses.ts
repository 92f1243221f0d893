import type { Inventory, Pod } from '@tapdeck/inventory'
import { canonicalIp } from '@tapdeck/ip'
import { addressKey, PacketEnds, PacketKeys } from '@tapdeck/wire'
import type { PacketTest } from '../export/conversations.ts'

/** Whose packets are wanted: a pod must be of each list that is not empty. */
export interface PodSelection {
  readonly namespaces: readonly string[]
  readonly workloads: readonly string[]
  readonly pods: readonly string[]
}

/** Unix milliseconds, inclusive. */
export interface TimeWindow {
  readonly start: number
  readonly end: number
}

/** Addresses whose packets are wanted, each with its ports; undefined: all ports. */
export type WantedAddresses = ReadonlyMap<string, ReadonlySet<number> | undefined>

export function selectsPods({ namespaces, workloads, pods }: PodSelection): boolean {
  return namespaces.length + workloads.length + pods.length > 0
}

/** The addresses that the selected pods had in a window; of whole namespaces those of services, too. */
export function podAddresses(
  { pods, services }: Inventory,
  selection: PodSelection,
  window: TimeWindow,
): WantedAddresses {
  const found = new Map<string, Set<number> | undefined>()
  const add = (ips: readonly string[], ports?: readonly number[]) => {
    for (const given of ips) {
      const ip = canonicalIp(given) ?? given
      if (ports === undefined) found.set(ip, undefined)
      else if (!found.has(ip)) found.set(ip, new Set(ports))
      else for (const port of ports) found.get(ip)?.add(port)
    }
  }
  for (const pod of pods) if (isSelected(pod, selection) && existed(pod, window)) add(pod.ips, pod.ports)
  const { namespaces } = selection
  if (selection.workloads.length + selection.pods.length === 0)
    for (const service of services)
      if (namespaces.includes(service.namespace) && existed(service, window)) add(service.ips ?? [])
  return found
}

/** Whether a packet has one of these addresses, at one of its ports where the address is shared. */
export function addressTest(addresses: WantedAddresses): PacketTest {
  const keys = new Set(addressKeys(addresses))
  const who = new PacketKeys()
  const ends = new PacketEnds()
  const isWanted = (ip: string, port: number) => {
    const ports = addresses.get(ip)
    return ports === undefined ? addresses.has(ip) : ports.has(port)
  }
  return (data, start, end, length, _time, link) => {
    who.read(data, start, end, length, link)
    let any = false
    for (let at = 0; at < who.count; at++) any ||= keys.has(who.keys[at]!)
    if (!any) return false
    // Fragments have no ends, and an address outside of a tunnel is none of the ends.
    if (!ends.read(data, start, end, length, link)) return true
    return isWanted(ends.source, ends.sourcePort) || isWanted(ends.destination, ends.destinationPort)
  }
}

/** What workers are asked for; see `PacketKeys`. */
export function addressKeys(addresses: WantedAddresses): number[] {
  return [...addresses.keys()].map(addressKey)
}

function isSelected({ name, namespace, owners }: Pod, selection: PodSelection): boolean {
  const { namespaces, workloads, pods } = selection
  const owner = owners?.at(-1)?.name
  return (
    (namespaces.length === 0 || namespaces.includes(namespace)) &&
    (workloads.length === 0 || (owner !== undefined && workloads.includes(owner))) &&
    (pods.length === 0 || pods.includes(name))
  )
}

function existed({ from, until }: Pick<Pod, 'from' | 'until'>, { start, end }: TimeWindow): boolean {
  return (from === undefined || from <= end) && (until === undefined || until >= start)
}
