import { canonicalIp } from '@tapdeck/ip'
import type { Inventory, Service } from './inventory.ts'
import { nodeAddresses } from './node-addresses.ts'

/** What a name is the name of, as in a call's ends. */
export type NameKind = 'pod' | 'svc' | 'ns' | 'node'

/**
 * All addresses that had a name which passes, at any time: where `Resolver` could tell such a name, the address is here.
 * Undefined: a node whose pods have whole blocks of addresses passes.
 */
export function addressesNamed(
  inventory: Inventory,
  kind: NameKind,
  passes: (name: string) => boolean,
): string[] | undefined {
  const found = new Set<string>()
  const add = (ip: string) => found.add(canonicalIp(ip) ?? ip)
  const namesOfPods = { pod: 'name', ns: 'namespace', node: 'node' } as const
  if (kind !== 'svc')
    for (const pod of inventory.pods) {
      const name = pod[namesOfPods[kind]]
      if (name !== undefined && passes(name)) for (const ip of pod.ips) add(ip)
    }
  const nodes = inventory.nodes ?? []
  if (kind === 'node')
    for (const node of nodes) {
      if (!passes(node.name)) continue
      if (node.podCIDRs?.length) return undefined
      for (const ip of nodeAddresses(node)) add(ip)
    }
  if (kind === 'svc' || kind === 'ns')
    for (const service of inventory.services)
      if (passes(kind === 'svc' ? service.name : service.namespace)) {
        for (const ip of ofService(service)) add(ip)
        if (service.nodePorts?.length) for (const node of nodes) for (const ip of nodeAddresses(node)) add(ip)
      }
  return [...found]
}

function ofService({ ips = [], endpoints = [] }: Service): string[] {
  return [...ips, ...endpoints.map(({ ip }) => ip)]
}
