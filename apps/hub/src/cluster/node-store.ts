import { readFile } from 'node:fs/promises'
import { writeDurably } from '@tapdeck/recording'
import type { Log } from '../log.ts'
import type { Unsaved } from '../state/unsaved.ts'

/** Nodes that are remembered, also while they are not connected. Beyond, the one that reported longest ago is forgotten. */
const MAX_NODES = 1024
const SAVE_EVERY_MS = 10_000

/** How the values of all nodes are one JSON file. */
export interface NodeFormat<Value> {
  /** As in "cannot save the …". */
  readonly what: string
  /** Throws if the JSON is not valid. */
  decode(json: unknown): Iterable<readonly [node: string, value: Value]>
  encode(nodes: ReadonlyMap<string, Value>): unknown
}

export interface NodeStoreOptions {
  readonly file: string
  readonly log: Log
  readonly unsaved: Unsaved
}

/** What is known of each node, in memory and in a file: it outlives the hub. A damaged file counts as empty. */
export class NodeStore<Value> {
  readonly #options: NodeStoreOptions
  readonly #format: NodeFormat<Value>
  readonly #nodes = new Map<string, Value>()
  readonly #timer: NodeJS.Timeout
  #saved: Promise<void> = Promise.resolve()

  private constructor(options: NodeStoreOptions, format: NodeFormat<Value>, text: string | undefined) {
    this.#options = options
    this.#format = format
    try {
      if (text !== undefined)
        for (const [node, value] of format.decode(JSON.parse(text))) this.set(node, value)
    } catch (error) {
      options.log.warn({ err: error }, `cannot read the saved ${format.what}`)
    }
    this.#timer = setInterval(() => void this.save(), SAVE_EVERY_MS).unref()
  }

  static async open<Value>(options: NodeStoreOptions, format: NodeFormat<Value>): Promise<NodeStore<Value>> {
    const text = await readFile(options.file, 'utf8').catch(() => undefined)
    return new NodeStore(options, format, text)
  }

  get nodes(): ReadonlyMap<string, Value> {
    return this.#nodes
  }

  get(node: string): Value | undefined {
    return this.#nodes.get(node)
  }

  set(node: string, value: Value): void {
    this.#nodes.delete(node)
    this.#nodes.set(node, value)
    for (const oldest of this.#nodes.keys()) {
      if (this.#nodes.size <= MAX_NODES) break
      this.#nodes.delete(oldest)
    }
  }

  /** One after the other: they write the same file. */
  save(): Promise<void> {
    const { file, unsaved } = this.#options
    this.#saved = this.#saved.then(() =>
      unsaved.write(this.#format.what, () =>
        writeDurably(file, JSON.stringify(this.#format.encode(this.#nodes))),
      ),
    )
    return this.#saved
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.save()
  }
}
