import { canonicalIp } from '@tapdeck/ip'
import type { Inventory, Pod, Service } from './inventory.ts'

export interface WorkloadQuery {
  /** A part of the name. */
  readonly name?: string
  readonly namespace?: string
  readonly type?: 'pod' | 'service'
  /** Unix milliseconds; absent: any time. */
  readonly at?: number
}

export interface Workload {
  readonly name: string
  readonly namespace: string
  readonly kind: 'pod' | 'service'
  readonly labels: Readonly<Record<string, string>>
  /** Its addresses, each with the time since when; null where that is not known. */
  readonly ips: readonly { readonly ip: string; readonly timestamp: number | null }[]
}

export interface AddressHolders {
  readonly ip: string
  /** Newest first. */
  readonly records: readonly {
    readonly name: string
    readonly namespace: string
    readonly kind: 'pod' | 'service'
    readonly timestamp: number | null
    readonly until: number | null
  }[]
}

/** Pods and services that match, in order of namespace, name and time. */
export function listWorkloads(inventory: Inventory, query: WorkloadQuery = {}): Workload[] {
  return everyone(inventory)
    .filter(
      ({ kind, thing }) =>
        (query.type === undefined || query.type === kind) &&
        (query.namespace === undefined || query.namespace === thing.namespace) &&
        (query.name === undefined || thing.name.includes(query.name)) &&
        existed(thing, query.at),
    )
    .sort((a, b) => order(a.thing, b.thing))
    .map(({ kind, thing }) => ({
      name: thing.name,
      namespace: thing.namespace,
      kind,
      labels: thing.labels ?? {},
      ips: (thing.ips ?? []).map((ip) => ({ ip, timestamp: thing.from ?? null })),
    }))
}

/** The owners of an address (or of all addresses), at a time or ever. A service owns only its own addresses. */
export function listAddresses(
  inventory: Inventory,
  query: { readonly ip?: string; readonly at?: number } = {},
): AddressHolders[] {
  const wanted = query.ip === undefined ? undefined : (canonicalIp(query.ip) ?? query.ip)
  const found = new Map<string, AddressHolders['records'][number][]>()
  for (const { kind, thing } of everyone(inventory)) {
    if (!existed(thing, query.at)) continue
    for (const ip of thing.ips ?? []) {
      if (wanted !== undefined && ip !== wanted) continue
      const { name, namespace, from = null, until = null } = thing
      const records = found.get(ip) ?? []
      records.push({ name, namespace, kind, timestamp: from, until })
      found.set(ip, records)
    }
  }
  return [...found].map(([ip, records]) => ({
    ip,
    records: records.sort((a, b) => (b.timestamp ?? 0) - (a.timestamp ?? 0)),
  }))
}

function everyone(inventory: Inventory) {
  return [
    ...inventory.pods.map((thing) => ({ kind: 'pod' as const, thing })),
    ...inventory.services.map((thing) => ({ kind: 'service' as const, thing })),
  ]
}

function existed(thing: Pod | Service, at: number | undefined): boolean {
  if (at === undefined) return true
  return (thing.from === undefined || thing.from <= at) && (thing.until === undefined || at < thing.until)
}

function order(a: Pod | Service, b: Pod | Service): number {
  const [one, other] = [`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`]
  if (one !== other) return one < other ? -1 : 1
  return (a.from ?? 0) - (b.from ?? 0)
}
