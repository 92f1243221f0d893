import { type OwnedSide, type Ownership, type OwnershipTerms, reportedBy, undecidedIn } from './ownership.ts'

/** The nodes of a call's ends, as far as known, and when it began (Unix milliseconds). */
export interface OwnedCall {
  readonly ts: number
  readonly src: { readonly node?: string }
  readonly dst: { readonly node?: string }
}

/** Whether a node reports its view of a call. The same as `ownedFilter`, without an index. */
export function isReported(call: OwnedCall, ownership: Ownership & { readonly node: string }): boolean {
  return reportedBy(termsOf(call, ownership), ownership.settled ?? false)
}

/** Whether another node may report it as well. */
export function isUndecided(call: OwnedCall, ownership: Ownership & { readonly node: string }): boolean {
  return undecidedIn(termsOf(call, ownership), ownership.settled ?? false)
}

function termsOf(
  call: OwnedCall,
  { node, nodes, gaps = [] }: Ownership & { readonly node: string },
): OwnershipTerms<boolean> {
  const hasStored = (one: string) =>
    !gaps.some((gap) => gap.node === one && gap.from <= call.ts && call.ts <= gap.to)
  const at = (side: OwnedSide) => call[side].node
  return {
    mine: (side) => at(side) === node,
    owned: (side) => {
      const owner = at(side)
      return owner !== undefined && nodes.includes(owner) && hasStored(owner)
    },
    known: (side) => at(side) !== undefined,
    both: (one, other) => one && other,
    either: (one, other) => one || other,
    not: (test) => !test,
  }
}
