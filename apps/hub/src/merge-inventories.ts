import type { Inventory } from '@tapdeck/inventory'

/**
 * What callers gave comes first, source by source: of two that have an address at the same time, the first listed
 * counts. A pod, service or node of the configured file is left out where a caller gave one of the same namespace and name.
 */
export function mergeInventories(given: readonly Inventory[], configured: Inventory): Inventory {
  return {
    pods: merge(given, configured, ({ pods }) => pods),
    services: merge(given, configured, ({ services }) => services),
    nodes: merge(given, configured, ({ nodes = [] }) => nodes),
  }
}

function merge<Kind extends { readonly name: string; readonly namespace?: string }>(
  given: readonly Inventory[],
  configured: Inventory,
  pick: (inventory: Inventory) => readonly Kind[],
): Kind[] {
  const first = given.flatMap((inventory) => pick(inventory))
  const names = new Set(first.map(nameOf))
  return [...first, ...pick(configured).filter((one) => !names.has(nameOf(one)))]
}

function nameOf({ namespace = '', name }: { readonly name: string; readonly namespace?: string }): string {
  return `${namespace}/${name}`
}
