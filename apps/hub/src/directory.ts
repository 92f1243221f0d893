import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { readYaml } from '@tapdeck/config'
import { createResolver, type Inventory, parseInventory, type Resolver } from '@tapdeck/inventory'

const MOST_SOURCES = 64

/** Who has which address, out of several sources: a file, callers, a cluster. Workers and dissections are told. */
export class Directory extends EventEmitter<{ change: [] }> {
  readonly #sources = new Map<string, Inventory>()
  #inventory: Inventory = { pods: [], services: [] }
  #resolver: Resolver | undefined

  get inventory(): Inventory {
    return this.#inventory
  }

  get resolver(): Resolver {
    this.#resolver ??= createResolver(this.#inventory)
    return this.#resolver
  }

  /** Whether there is room for what a source gives. */
  accepts(source: string): boolean {
    return this.#sources.has(source) || this.#sources.size < MOST_SOURCES
  }

  /** Replaces what a source gave before. */
  set(source: string, inventory: Inventory): void {
    this.#sources.set(source, inventory)
    const all = [...this.#sources.values()]
    this.#inventory = {
      pods: all.flatMap(({ pods }) => pods),
      services: all.flatMap(({ services }) => services),
      nodes: all.flatMap(({ nodes = [] }) => nodes),
    }
    this.#resolver = undefined
    this.emit('change')
  }

  /** Reads the configured file; none given: none known. Throws where it cannot be read, and keeps what was. */
  async load(file: string): Promise<void> {
    if (file === '') {
      if (this.#sources.has('file')) this.set('file', { pods: [], services: [] })
      return
    }
    try {
      this.set('file', parseInventory(readYaml(file, await readFile(file, 'utf8'))))
    } catch (error) {
      throw new Error(`tap.inventory: ${file}: ${error instanceof Error ? error.message : error}`)
    }
  }
}
