import { type Catalog, type Filter, restrict, type TestNode } from '@tapdeck/kfl'
import { type OwnedSide, type Ownership, type OwnershipTerms, reportedBy, undecidedIn } from './ownership.ts'

/** The calls of a filter that this node reports; with `undecided`, only those that other nodes may report as well. */
export function ownedFilter(
  filter: Filter,
  ownership: Ownership,
  catalog: Catalog,
  undecided = false,
): Filter {
  const { settled = false } = ownership
  const terms = termsOf(ownership, catalog)
  const reported = restrict(filter, reportedBy(terms, settled))
  return undecided ? restrict(reported, undecidedIn(terms, settled)) : reported
}

function termsOf(ownership: Ownership, catalog: Catalog): OwnershipTerms<TestNode> {
  const { node } = ownership
  return {
    mine: (side) =>
      node === undefined ? isCaptor(`${side}.node`, catalog) : isOneOf(`${side}.node`, [node], catalog),
    owned: (side) => isOwner(side, ownership, catalog),
    known: (side) => isKnown(`${side}.node`, catalog),
    both: (one, other) => both([one, other]),
    either: (one, other) => either([one, other]),
    not,
  }
}

function isKnown(name: string, catalog: Catalog): TestNode {
  const field = catalog.find(name)
  if (field === undefined) return { kind: 'always', value: false, ...AT }
  return { kind: 'present', of: { kind: 'field', field, type: field.type, ...AT }, ...AT }
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
function isOwner(side: OwnedSide, { nodes, gaps = [] }: Ownership, catalog: Catalog): TestNode {
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
