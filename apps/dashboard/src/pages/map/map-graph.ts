import type { OperationOutput } from '@tapdeck/api'
import type { MapChoice } from './map-choice.ts'

export type Topology = OperationOutput<'get_topology'>
type TopologyEdge = Topology['edges'][number]
export type Change = NonNullable<TopologyEdge['changes']>[number]['kind']

export interface MapNode {
  readonly id: string
  readonly name: string
  readonly ns: string | undefined
  /** Addresses that have no name here. */
  readonly isOutside: boolean
  readonly calls: number
  readonly errors: number
}

export interface MapEdge {
  readonly id: string
  readonly src: string
  readonly dst: string
  readonly calls: number
  readonly rate: number
  readonly errors: number
  readonly p50: number | undefined
  readonly p95: number | undefined
  readonly p99: number | undefined
  readonly bytes: number
  readonly protocols: Readonly<Record<string, number>>
  /** Selects its calls; absent where that would be too long. */
  readonly kfl: string | undefined
  readonly changes: NonNullable<TopologyEdge['changes']>
}

export interface MapGraph {
  readonly nodes: readonly MapNode[]
  readonly edges: readonly MapEdge[]
  /** Calls by protocol over all edges, also hidden ones, the most first. */
  readonly protocols: readonly (readonly [string, number])[]
}

const OUTSIDE = '(outside)'
/** Folded edges with more parts lead nowhere: their filter could not be read. */
const MAX_PARTS = 6

/** The nodes and edges that the map shows of a topology. */
export function mapGraph(topology: Pick<Topology, 'nodes' | 'edges'>, choice: MapChoice): MapGraph {
  const outside = new Set(topology.nodes.filter(({ kind }) => kind === 'address').map(({ id }) => id))
  const place = (id: string) => (!choice.outside && outside.has(id) ? OUTSIDE : id)
  const all = foldEdges(topology.edges, place)
  const shown = all.filter((edge) => isShown(edge, choice))
  const edges = choice.focus
    ? shown.filter(({ src, dst }) => src === choice.focus || dst === choice.focus)
    : shown
  const named = new Map(topology.nodes.map((node) => [node.id, node]))
  const ids = new Set(edges.flatMap(({ src, dst }) => [src, dst]))
  if (choice.focus && named.has(choice.focus)) ids.add(choice.focus)
  const into = countInto(all)
  const nodes = [...ids].map(
    (id): MapNode => ({
      id,
      name: id === OUTSIDE ? 'Outside' : (named.get(id)?.name ?? id),
      ns: named.get(id)?.ns,
      isOutside: id === OUTSIDE || outside.has(id),
      ...(into.get(id) ?? { calls: 0, errors: 0 }),
    }),
  )
  return { nodes, edges, protocols: countProtocols(all) }
}

function isShown({ protocols, errors }: MapEdge, { hidden, onlyErrors }: MapChoice): boolean {
  if (onlyErrors && errors === 0) return false
  const names = Object.keys(protocols)
  return names.length === 0 || names.some((name) => !hidden.includes(name))
}

function foldEdges(edges: readonly TopologyEdge[], place: (id: string) => string): readonly MapEdge[] {
  const folded = new Map<string, TopologyEdge[]>()
  for (const edge of edges) {
    const [src, dst] = [place(edge.src), place(edge.dst)]
    if (src === dst && src === OUTSIDE) continue
    const id = JSON.stringify([src, dst])
    const parts = folded.get(id)
    if (parts) parts.push(edge)
    else folded.set(id, [edge])
  }
  return [...folded].map(([id, parts]) => mergeEdges(id, parts, place))
}

/** Percentiles of folded edges are those of the slowest part. */
function mergeEdges(id: string, parts: readonly TopologyEdge[], place: (id: string) => string): MapEdge {
  const total = (of: (edge: TopologyEdge) => number) => sum(parts.map(of))
  const slowest = (of: (edge: TopologyEdge) => number | undefined) => {
    const known = parts.map(of).filter((value) => value !== undefined)
    return known.length > 0 ? Math.max(...known) : undefined
  }
  const protocols: Record<string, number> = {}
  for (const part of parts)
    for (const [name, calls] of Object.entries(part.protocols))
      protocols[name] = (protocols[name] ?? 0) + calls
  const first = parts[0]
  return {
    id,
    src: place(first?.src ?? ''),
    dst: place(first?.dst ?? ''),
    calls: total((edge) => edge.calls),
    rate: total((edge) => edge.rate),
    errors: total((edge) => edge.errors),
    p50: slowest((edge) => edge.latency_p50_ms),
    p95: slowest((edge) => edge.latency_p95_ms),
    p99: slowest((edge) => edge.latency_p99_ms),
    bytes: total((edge) => edge.bytes),
    protocols,
    kfl: parts.length === 1 ? first?.kfl : joined(parts),
    changes: parts.flatMap((edge) => edge.changes ?? []),
  }
}

function joined(parts: readonly TopologyEdge[]): string | undefined {
  return parts.length > MAX_PARTS ? undefined : parts.map(({ kfl }) => `(${kfl})`).join(' or ')
}

/** The calls that each node receives, over all edges. */
function countInto(edges: readonly MapEdge[]): ReadonlyMap<string, { calls: number; errors: number }> {
  const counts = new Map<string, { calls: number; errors: number }>()
  for (const { dst, calls, errors } of edges) {
    const before = counts.get(dst)
    counts.set(dst, { calls: (before?.calls ?? 0) + calls, errors: (before?.errors ?? 0) + errors })
  }
  return counts
}

function countProtocols(edges: readonly MapEdge[]): MapGraph['protocols'] {
  const counts = new Map<string, number>()
  for (const { protocols } of edges)
    for (const [name, calls] of Object.entries(protocols)) counts.set(name, (counts.get(name) ?? 0) + calls)
  return [...counts].sort(([, a], [, b]) => b - a)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
