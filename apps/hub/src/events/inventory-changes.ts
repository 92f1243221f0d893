import type { Inventory, Node, Pod, Service } from '@tapdeck/inventory'
import type { RecordedEvent } from '@tapdeck/recording'

type Thing = Node | Pod | Service

/** What is different between two inventories, as events at a time (Unix milliseconds). */
export function inventoryChanges(before: Inventory, after: Inventory, ts: number): RecordedEvent[] {
  return [
    ...changes('node', before.nodes ?? [], after.nodes ?? [], ts),
    ...changes('pod', before.pods, after.pods, ts),
    ...changes('service', before.services, after.services, ts),
  ]
}

function changes(
  what: 'pod' | 'service' | 'node',
  before: readonly Thing[],
  after: readonly Thing[],
  ts: number,
): RecordedEvent[] {
  const told = (change: string, thing: Thing, more: object = {}): RecordedEvent => {
    const { annotations: _, ...rest } = { annotations: undefined, ...thing }
    return { ts, kind: 'cluster', type: `${what}_${change}`, ...rest, ...more }
  }
  const known = new Map(before.map((thing) => [keyOf(thing), thing]))
  const events: RecordedEvent[] = []
  for (const thing of after) {
    const key = keyOf(thing)
    const old = known.get(key)
    known.delete(key)
    if (old === undefined) events.push(told('added', thing))
    else if (old !== thing && JSON.stringify(old) !== JSON.stringify(thing))
      events.push(told('changed', thing, { before: { ips: old.ips ?? [] } }))
  }
  return [...[...known.values()].map((thing) => told('removed', thing)), ...events]
}

/** A pod of the same name with another life is another pod. */
function keyOf(thing: Thing): string {
  if (!('namespace' in thing)) return thing.name
  return JSON.stringify([thing.namespace, thing.name, 'uid' in thing ? thing.uid : '', thing.from ?? 0])
}
