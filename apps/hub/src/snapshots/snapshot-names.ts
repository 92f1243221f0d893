import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Inventory, parseInventory } from '@tapdeck/inventory'
import type { SnapshotStore } from '@tapdeck/recording'
import type { Worker } from '../cluster/worker.ts'

const FILE = 'inventory.json'

/** The names that are stored with a snapshot: addresses change their owners after it. */
export class SnapshotNames {
  readonly #store: SnapshotStore

  constructor(store: SnapshotStore) {
    this.#store = store
  }

  /** Undefined if there are none that can be read. */
  async read(snapshot: string): Promise<Inventory | undefined> {
    try {
      return parseInventory(JSON.parse(await readFile(this.#path(snapshot), 'utf8')))
    } catch {
      return undefined
    }
  }

  async write(snapshot: string, names: Inventory): Promise<void> {
    await writeFile(this.#path(snapshot), JSON.stringify(names), { mode: 0o600 })
  }

  #path(snapshot: string): string {
    return join(this.#store.path(snapshot), FILE)
  }
}

/** Adds the addresses that nodes report of themselves, for nodes without a name in the inventory. */
export function withNodes(inventory: Inventory, workers: readonly Worker[]): Inventory {
  const known = inventory.nodes ?? []
  const reported = workers.flatMap(({ node: name, ip }) => (ip === undefined ? [] : [{ name, ips: [ip] }]))
  return {
    ...inventory,
    nodes: [...known, ...reported.filter(({ name }) => !known.some((one) => one.name === name))],
  }
}
