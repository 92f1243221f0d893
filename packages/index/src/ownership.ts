import { type Catalog, type Filter, restrict, type TestNode } from '@tapdeck/kfl'

/**
 * Which node reports an exchange that several nodes have seen: the client's node if it is one of `nodes`, else the
 * server's node. Every node knows this by itself, so each exchange is reported once and no keys are exchanged.
 */
export interface Ownership {
  /** The node of this index; absent: it has the calls of all nodes, and each call counts as seen by the node that captured it. */
  readonly node?: string
  /** All nodes that are asked the same. */
  readonly nodes: readonly string[]
  /** Times (Unix milliseconds) of which a node has nothing: then it owns nothing, and the other view counts. */
  readonly gaps?: readonly { readonly node: string; readonly from: number; readonly to: number }[]
}

/** The calls of a filter that this node reports. */
export function ownedFilter(filter: Filter, ownership: Ownership, catalog: Catalog): Filter {
  const { node } = ownership
  const mine = (side: 'src' | 'dst') =>
    node === undefined ? isCaptor(`${side}.node`, catalog) : isOneOf(`${side}.node`, [node], catalog)
  const others = (side: 'src' | 'dst') => isOwner(side, ownership, catalog)
  return restrict(
    filter,
    either([mine('src'), both([not(others('src')), either([mine('dst'), not(others('dst'))])])]),
  )
}

/** Whether a field names the node that captured the call. */
function isCaptor(name: string, catalog: Catalog): TestNode {
  const [field, captor] = [catalog.find(name), catalog.find('node_id')]
  if (field === undefined || captor === undefined) return { kind: 'always', value: false, ...AT }
  const left = { kind: 'field', field, type: field.type, ...AT } as const
  const right = { kind: 'field', field: captor, type: captor.type, ...AT } as const
  return { kind: 'compare', operator: '==', as: 'text', left, right, ...AT }
}

/** Whether that side is on a node that owns calls of this time. */
function isOwner(side: 'src' | 'dst', { nodes, gaps = [] }: Ownership, catalog: Catalog): TestNode {
  const field = `${side}.node`
  const interrupted = new Set(gaps.map(({ node }) => node).filter((node) => nodes.includes(node)))
  const steady = nodes.filter((node) => !interrupted.has(node))
  const others = [...interrupted].map((node) =>
    both([
      isOneOf(field, [node], catalog),
      ...gaps.flatMap((gap) => (gap.node === node ? [not(isWithin(gap.from, gap.to, catalog))] : [])),
    ]),
  )
  return either([isOneOf(field, steady, catalog), ...others])
}

const AT = { start: 0, end: 0 } as const

function both(parts: readonly TestNode[]): TestNode {
  return { kind: 'and', parts, ...AT }
}

function either(parts: readonly TestNode[]): TestNode {
  return { kind: 'or', parts, ...AT }
}

function not(of: TestNode): TestNode {
  return { kind: 'not', of, ...AT }
}

function isOneOf(name: string, values: readonly string[], catalog: Catalog): TestNode {
  const field = catalog.find(name)
  if (field === undefined || values.length === 0) return { kind: 'always', value: false, ...AT }
  return { kind: 'one-of', as: 'text', of: { kind: 'field', field, type: field.type, ...AT }, values, ...AT }
}

function isWithin(from: number, to: number, catalog: Catalog): TestNode {
  const field = catalog.find('timestamp')
  if (field === undefined) return { kind: 'always', value: false, ...AT }
  const left = { kind: 'field', field, type: field.type, ...AT } as const
  const limit = (operator: '>=' | '<=', value: number): TestNode => {
    const right = { kind: 'constant', type: field.type, value, ...AT } as const
    return { kind: 'compare', operator, as: 'number', left, right, ...AT }
  }
  return both([limit('>=', from), limit('<=', to)])
}
