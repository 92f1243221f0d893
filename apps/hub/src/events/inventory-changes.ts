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
  const event = (change: string, thing: Thing, more: object = {}): RecordedEvent => ({
    ts,
    kind: 'cluster',
    type: `${what}_${change}`,
    ...shownOf(thing),
    ...more,
  })
  const known = present(before, ts)
  const events: RecordedEvent[] = []
  for (const [key, thing] of present(after, ts)) {
    const old = known.get(key)
    known.delete(key)
    if (old === undefined) events.push(event('added', thing))
    else if (old !== thing && JSON.stringify(shownOf(old)) !== JSON.stringify(shownOf(thing)))
      events.push(event('changed', thing, { before: { ips: old.ips ?? [] } }))
  }
  return [...[...known.values()].map((thing) => event('removed', thing)), ...events]
}

/** Those that exist at a time. One that is listed twice, for addresses of its own and of its node, counts once. */
function present(things: readonly Thing[], ts: number): Map<string, Thing> {
  const found = new Map<string, Thing>()
  for (const thing of things) {
    const key = keyOf(thing)
    if ((thing.until === undefined || thing.until > ts) && !found.has(key)) found.set(key, thing)
  }
  return found
}

/** Endpoints have events of their own. Annotations may be long. Times, and addresses of devices, become known better later. */
const HIDDEN: ReadonlySet<string> = new Set(['annotations', 'endpoints', 'from', 'until', 'deviceIps'])

function shownOf(thing: Thing): object {
  return Object.fromEntries(Object.entries(thing).filter(([name]) => !HIDDEN.has(name)))
}

/** A pod of the same name with another life is another pod. */
function keyOf(thing: Thing): string {
  if (!('namespace' in thing)) return thing.name
  return JSON.stringify([thing.namespace, thing.name, thing.uid ?? thing.from ?? 0])
}
