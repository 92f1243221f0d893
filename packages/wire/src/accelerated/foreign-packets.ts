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

/**
 * Drops the plain packets of other shards from records in the read buffer, at a fraction of the cost of parsing each.
 * The rest moves to the start of the chunk area. A shard keeps some packets of others: one at which a sweep is `due`,
 * the last one, DNS where lookups are followed, and any packet that is not plain.
 */
export class ForeignPackets {
  readonly #code: FilterCode
  readonly #ints: Int32Array
  readonly #state: number
  readonly #chunk: number

  constructor(memory: WasmChunkMemory) {
    this.#code = memory.load<FilterCode>(code)
    this.#ints = new Int32Array(memory.memory.buffer)
    this.#state = memory.scratchOffset
    this.#chunk = memory.base
  }

  drop(records: RecordBatch, shard: Shard, lookups: boolean, due: number): void {
    const ints = this.#ints
    const state = this.#state >> 2
    ints[state + FOREIGN_STATE.FORMAT] = records.format
    ints[state + FOREIGN_STATE.INTERFACES] = records.interfaces
    ints[state + FOREIGN_STATE.SHARD] = shard.index
    ints[state + FOREIGN_STATE.SHARDS] = shard.count
    ints[state + FOREIGN_STATE.LOOKUPS] = lookups ? 1 : 0
    ints[state + FOREIGN_STATE.LIST] = this.#state + STATE_BYTES
    ints[state + FOREIGN_STATE.OUT] = this.#chunk
    records.isStuck = this.#code.dropForeign(this.#state, records.at, records.end, due) !== 0
    records.at = ints[state + FOREIGN_STATE.AT]!
    records.kept = ints[state + FOREIGN_STATE.KEPT]!
    records.packets = ints[state + FOREIGN_STATE.PACKETS]!
    records.bytes = ints[state + FOREIGN_STATE.BYTES]!
  }
}
