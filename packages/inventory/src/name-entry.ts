import type { Inventory, Node, Pod, Service } from './inventory.ts'

/** One pod, service or node of an inventory. */
export type NameEntry =
  | { readonly kind: 'pod'; readonly pod: Pod }
  | { readonly kind: 'service'; readonly service: Service }
  | { readonly kind: 'node'; readonly node: Node }

/** The entries of an inventory by a key that stays the same while an entry changes. */
export function entriesOf({ pods, services, nodes = [] }: Inventory): Map<string, NameEntry> {
  const entries = new Map<string, NameEntry>()
  for (const pod of pods) add(entries, { kind: 'pod', pod })
  for (const service of services) add(entries, { kind: 'service', service })
  for (const node of nodes) add(entries, { kind: 'node', node })
  return entries
}

export function inventoryOf(entries: Iterable<NameEntry>): Inventory {
  const pods: Pod[] = []
  const services: Service[] = []
  const nodes: Node[] = []
  for (const entry of entries)
    if (entry.kind === 'pod') pods.push(entry.pod)
    else if (entry.kind === 'service') services.push(entry.service)
    else nodes.push(entry.node)
  return { pods, services, nodes }
}

/** Entries of a file may be equal: each gets a key of its own. */
function add(entries: Map<string, NameEntry>, entry: NameEntry): void {
  const key = keyOf(entry)
  let unique = key
  for (let copy = 2; entries.has(unique); copy++) unique = `${key}#${copy}`
  entries.set(unique, entry)
}

function keyOf(entry: NameEntry): string {
  switch (entry.kind) {
    case 'pod': {
      const { namespace, name, uid, from = '', ips } = entry.pod
      return `pod/${namespace}/${name}/${uid ?? from}/${ips.join()}`
    }
    case 'service': {
      const { namespace, name, uid, from = '' } = entry.service
      return `service/${namespace}/${name}/${uid ?? from}`
    }
    case 'node': {
      const { name, uid = '' } = entry.node
      return `node/${name}/${uid}`
    }
  }
}
