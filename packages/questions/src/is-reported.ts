import { type OwnedSide, type Ownership, type OwnershipTerms, reportedBy, undecidedIn } from './ownership.ts'

interface OwnedEnds {
  readonly src: { readonly node?: string }
  readonly dst: { readonly node?: string }
}

/** The nodes of a call's ends, as far as known, and when it began (Unix milliseconds). */
export interface OwnedCall extends OwnedEnds {
  readonly ts: number
}

/** Whether a node reports its view of a call: the same as `ownedFilter`, without an index. */
export function reportedCalls({
  node,
  nodes,
  gaps = [],
  settled = false,
}: Ownership & { readonly node: string }): (call: OwnedCall) => boolean {
  const asked = new Set(nodes)
  return (call) => {
    const terms: OwnershipTerms<boolean> = {
      ...logic,
      mine: (side) => call[side].node === node,
      owned: (side) => {
        const owner = call[side].node
        if (owner === undefined || !asked.has(owner)) return false
        return !gaps.some((gap) => gap.node === owner && gap.from <= call.ts && call.ts <= gap.to)
      },
      known: isKnown(call),
    }
    return reportedBy(terms, settled)
  }
}

/** Whether another node may report a call as well. */
export function isUndecided(ends: OwnedEnds, settled: boolean): boolean {
  return undecidedIn({ ...logic, known: isKnown(ends) }, settled)
}

const logic = {
  both: (one: boolean, other: boolean) => one && other,
  either: (one: boolean, other: boolean) => one || other,
  not: (test: boolean) => !test,
}

function isKnown(ends: OwnedEnds) {
  return (side: OwnedSide) => ends[side].node !== undefined
}
