import type { Owner } from '@tapdeck/inventory'
import type { OwnerReference } from './api-object.ts'
import type { OwnedRecord } from './workload-record.ts'

/** A chain of owners has two or three links; a loop must not hang us. */
const MAX_CHAIN = 5

/** Who owns what: leads from a pod over its ReplicaSet or Job to the Deployment or CronJob. */
export class OwnerChain {
  readonly #owners = new Map<string, OwnerReference | undefined>()

  /** True if it is new or has another owner than before. */
  put({ uid, owner }: OwnedRecord): boolean {
    if (this.#owners.has(uid) && this.#owners.get(uid)?.uid === owner?.uid) return false
    this.#owners.set(uid, owner)
    return true
  }

  remove(uid: string): void {
    this.#owners.delete(uid)
  }

  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of this.#owners.keys()) if (!uids.has(uid)) this.#owners.delete(uid)
  }

  get size(): number {
    return this.#owners.size
  }

  /** From the direct owner to the last that is known. */
  of(owner: OwnerReference | undefined): Owner[] {
    const chain: Owner[] = []
    for (let at = owner; at !== undefined && chain.length < MAX_CHAIN; at = this.#owners.get(at.uid))
      chain.push({ kind: at.kind, name: at.name })
    return chain
  }
}
