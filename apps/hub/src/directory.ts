import { EventEmitter } from 'node:events'
import { readFile, rename } from 'node:fs/promises'
import { readYaml } from '@tapdeck/config'
import { createResolver, type Inventory, parseInventory, type Resolver } from '@tapdeck/inventory'
import { writeDurably } from '@tapdeck/recording'
import type { Log } from './log.ts'
import { mergeInventories } from './merge-inventories.ts'
import { withDevices } from './with-devices.ts'

const MAX_SOURCES = 64
const nothing: Inventory = { pods: [], services: [] }

/** Who has which address, by the configured file and by callers. What callers gave is kept on disk. */
export class Directory extends EventEmitter<{ change: [] }> {
  readonly #keptIn: string
  readonly #given = new Map<string, Inventory>()
  #configured = nothing
  #cluster = nothing
  #devices: ReadonlyMap<string, readonly string[]> = new Map()
  #inventory = nothing
  #resolver: Resolver | undefined
  /** Nodes whose blocks of addresses are known. */
  #withBlocks: ReadonlySet<string> = new Set()
  #saving: Promise<void> = Promise.resolve()

  private constructor(keptIn: string) {
    super()
    this.#keptIn = keptIn
  }

  /** Reads what callers gave before. A damaged file is set aside, with a warning. */
  static async open(keptIn: string, log: Log): Promise<Directory> {
    const directory = new Directory(keptIn)
    try {
      const { sources } = JSON.parse(await readFile(keptIn, 'utf8')) as { sources: Record<string, unknown> }
      for (const [source, value] of Object.entries(sources))
        directory.#given.set(source, parseInventory(value))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        directory.#given.clear()
        const aside = `${keptIn}.damaged`
        await rename(keptIn, aside).catch(() => {})
        const detail = error instanceof Error ? error.message : String(error)
        log.warn({ detail, aside }, 'cannot read the stored inventory; moved it aside')
      }
    }
    directory.#merge()
    return directory
  }

  get inventory(): Inventory {
    return this.#inventory
  }

  get resolver(): Resolver {
    this.#resolver ??= createResolver(this.#inventory)
    return this.#resolver
  }

  /** Whether all nodes of a list know which addresses are on them: then they agree on who reports a call. */
  isSettled(nodes: readonly string[]): boolean {
    return nodes.every((node) => this.#withBlocks.has(node))
  }

  /** Whether one more source may be kept. */
  accepts(source: string): boolean {
    return this.#given.has(source) || this.#given.size < MAX_SOURCES
  }

  /** Replaces what a source gave before, in memory. An empty inventory removes the source. */
  set(source: string, inventory: Inventory): void {
    if (isEmpty(inventory)) this.#given.delete(source)
    else this.#given.set(source, inventory)
    this.#merge()
  }

  /** Replaces what a source gave before, once that is on disk. Rejects, and changes nothing, where it cannot be stored. */
  keep(source: string, inventory: Inventory): Promise<void> {
    const kept = this.#saving.then(async () => {
      const sources = new Map(this.#given).set(source, inventory)
      if (isEmpty(inventory)) sources.delete(source)
      await writeDurably(this.#keptIn, JSON.stringify({ sources: Object.fromEntries(sources) }))
      this.set(source, inventory)
    })
    this.#saving = kept.catch(() => {})
    return kept
  }

  /** Reads the configured file; '' means none. Rejects, and changes nothing, where it cannot be read. */
  async load(file: string): Promise<void> {
    if (file === '') {
      if (this.#configured === nothing) return
      this.#configured = nothing
    } else
      try {
        this.#configured = parseInventory(readYaml(file, await readFile(file, 'utf8')))
      } catch (error) {
        throw new Error(`tap.inventory: ${file}: ${error instanceof Error ? error.message : error}`)
      }
    this.#merge()
  }

  /** What the cluster itself says counts before all else. */
  setCluster(inventory: Inventory): void {
    this.#cluster = inventory
    this.#merge()
  }

  /** Addresses of the devices of nodes, as their workers report them. */
  setDevices(devices: ReadonlyMap<string, readonly string[]>): void {
    this.#devices = devices
    this.#merge()
  }

  #merge(): void {
    const merged = mergeInventories([this.#cluster, ...this.#given.values()], this.#configured)
    this.#inventory = { ...merged, nodes: withDevices(merged.nodes ?? [], this.#devices) }
    this.#resolver = undefined
    const known = this.#inventory.nodes?.filter(({ podCIDRs = [], until }) => podCIDRs.length > 0 && !until)
    this.#withBlocks = new Set(known?.map(({ name }) => name))
    this.emit('change')
  }
}

function isEmpty({ pods, services, nodes = [] }: Inventory): boolean {
  return pods.length + services.length + nodes.length === 0
}
