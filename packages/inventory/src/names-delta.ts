import { InventoryError } from './inventory-error.ts'
import type { NameEntry } from './name-entry.ts'
import { parseNode, parsePod, parseService } from './parse-inventory.ts'

/** What is different between two states of the names. */
export interface NamesDelta {
  /** Nothing that was known before counts any more. */
  readonly reset?: boolean
  readonly put: readonly (readonly [key: string, entry: NameEntry])[]
  readonly drop: readonly string[]
}

/** The step from one state to the other. Entries are compared as objects first, and by what is in them where they differ. */
export function namesDelta(
  before: ReadonlyMap<string, NameEntry>,
  after: ReadonlyMap<string, NameEntry>,
): NamesDelta {
  const put: [string, NameEntry][] = []
  for (const [key, entry] of after) {
    const known = before.get(key)
    if (known === undefined || !same(known, entry)) put.push([key, entry])
  }
  return { put, drop: [...before.keys()].filter((key) => !after.has(key)) }
}

export function applyDelta(entries: Map<string, NameEntry>, { reset, put, drop }: NamesDelta): void {
  if (reset) entries.clear()
  for (const key of drop) entries.delete(key)
  for (const [key, entry] of put) entries.set(key, entry)
}

/** Throws `InventoryError`. */
export function parseNamesDelta(value: unknown): NamesDelta {
  const { reset, put, drop } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  if (!Array.isArray(put) || !Array.isArray(drop)) throw new InventoryError('', 'expected `put` and `drop`')
  return {
    ...(reset === true && { reset }),
    put: put.map((pair, at) => parsePut(pair, `put[${at}]`)),
    drop: drop.map((key, at) => text(key, `drop[${at}]`)),
  }
}

function parsePut(pair: unknown, path: string): readonly [string, NameEntry] {
  if (!Array.isArray(pair) || typeof pair[1] !== 'object' || pair[1] === null)
    throw new InventoryError(path, 'expected a key and an entry')
  const { kind, pod, service, node } = pair[1] as Record<string, unknown>
  const key = text(pair[0], `${path}[0]`)
  switch (kind) {
    case 'pod':
      return [key, { kind, pod: parsePod(pod, path) }]
    case 'service':
      return [key, { kind, service: parseService(service, path) }]
    case 'node':
      return [key, { kind, node: parseNode(node, path) }]
    default:
      throw new InventoryError(path, 'expected a pod, a service or a node')
  }
}

function text(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw new InventoryError(path, 'expected a key')
  return value
}

function same(a: NameEntry, b: NameEntry): boolean {
  const [one, other] = [contentOf(a), contentOf(b)]
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function contentOf(entry: NameEntry): object {
  return entry.kind === 'pod' ? entry.pod : entry.kind === 'service' ? entry.service : entry.node
}
