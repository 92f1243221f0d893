import type { RecordBatch } from '../record-batch.ts'
import type { Shard } from '../shard/shard.ts'
import code from './foreign-packets.wasm.ts'
import { FOREIGN_STATE } from './layout.ts'
import type { WasmChunkMemory } from './wasm-chunk-memory.ts'

interface FilterCode {
  dropForeign(state: number, at: number, limit: number, due: number): number
}

/** The code writes its list of records after the state. */
const STATE_BYTES = 64
/** `ConnectionOwners.moved`. */
const MOVED_BYTES = 16 * 1024

/** Which packets of other shards are kept. */
interface KeptPackets {
  /** DNS. */
  readonly lookups: boolean
  /** `ConnectionOwners.moved`: those that another shard than that of their hash may follow. */
  readonly moved: Uint8Array | undefined
  /** When a sweep is due. */
  readonly due: number
}

/**
 * Drops the plain packets of other shards from records in the read buffer, at a fraction of the cost of parsing each.
 * The rest moves to the start of the chunk area. A shard keeps some packets of others: one at which a sweep is `due`,
 * the last one, DNS where lookups are followed, SYNs, views of a connection that another shard may follow, and any packet
 * that is not plain.
 */
export class ForeignPackets {
  readonly #code: FilterCode
  readonly #ints: Int32Array
  readonly #bytes: Uint8Array
  readonly #state: number
  readonly #moved: number
  readonly #chunk: number

  constructor(memory: WasmChunkMemory) {
    this.#code = memory.load<FilterCode>(code)
    this.#ints = new Int32Array(memory.memory.buffer)
    this.#bytes = new Uint8Array(memory.memory.buffer)
    this.#moved = memory.filterOffset
    this.#state = memory.scratchOffset
    this.#chunk = memory.base
  }

  drop(records: RecordBatch, shard: Shard, { lookups, moved, due }: KeptPackets): void {
    const ints = this.#ints
    const state = this.#state >> 2
    ints[state + FOREIGN_STATE.FORMAT] = records.format
    ints[state + FOREIGN_STATE.INTERFACES] = records.interfaces
    ints[state + FOREIGN_STATE.SHARD] = shard.index
    ints[state + FOREIGN_STATE.SHARDS] = shard.count
    ints[state + FOREIGN_STATE.LOOKUPS] = lookups ? 1 : 0
    ints[state + FOREIGN_STATE.LIST] = this.#state + STATE_BYTES
    ints[state + FOREIGN_STATE.OUT] = this.#chunk
    ints[state + FOREIGN_STATE.MOVED] = this.#moved
    ints[state + FOREIGN_STATE.SYNS] = this.#moved + MOVED_BYTES
    // The code adds flows whose SYN has the number of another one: their next packets can be in the same chunk.
    if (moved !== undefined) this.#bytes.set(moved, this.#moved)
    else this.#bytes.fill(0, this.#moved, this.#moved + MOVED_BYTES)
    records.isStuck = this.#code.dropForeign(this.#state, records.at, records.end, due) !== 0
    records.at = ints[state + FOREIGN_STATE.AT]!
    records.kept = ints[state + FOREIGN_STATE.KEPT]!
    records.packets = ints[state + FOREIGN_STATE.PACKETS]!
    records.bytes = ints[state + FOREIGN_STATE.BYTES]!
  }
}
