import type { Inventory } from './inventory.ts'
import { NameIndex } from './name-index.ts'
import type { Names } from './names.ts'
import type { NamesOverTime } from './names-over-time.ts'

/** Resolves the names of an address at a time. Made once for an inventory; fast enough for each call. */
export interface Resolver {
  /** Another number after each change of the names. */
  readonly version: number
  /** Of several candidates the one whose time began last counts. The answer is shared: the same object each time. */
  resolve(ip: string, port: number, timeMs: number): Names
  /** The same for repeated lookups of one address and port. */
  behind(ip: string, port: number): NamesOverTime
  /** Whether the address is one of a pod that is not known yet: names of new pods arrive after their first packets. */
  awaitsPod(ip: string, timeMs: number): boolean
  /** Whether the blocks of addresses of some nodes are known. */
  readonly hasRanges: boolean
}

export function createResolver(inventory: Inventory): Resolver {
  return new NameIndex(inventory)
}
