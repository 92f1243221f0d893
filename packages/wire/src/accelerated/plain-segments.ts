import type { RowAllocator } from '../flows/flow-counter-table.ts'
import type { PacketRun } from '../packet-run.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { CONNECTION_ENTRY, SEGMENT_STATE } from './layout.ts'
import code from './plain-segments.wasm.ts'
import type { WasmChunkMemory } from './wasm-chunk-memory.ts'

/** Results of `run` in plain-segments.wat. */
const PAYLOAD = 3
const UNKNOWN_CONNECTION = 2
const NEEDS_MORE = 0

interface SegmentCode {
  run(state: number, at: number, limit: number, due: number): number
}

const STATE_BYTES = 256
const ENTRY_BYTES = 32
const ENTRY_COUNT = 16 * 1024
/** Segments that are timed at once, over all connections. */
const TIMED_CELLS = 256 * 1024
const ROW_BYTES = 400
const ROW_COUNT = 64 * 1024

/** The arrays of `RoundTrips` in WebAssembly memory. */
export interface TimedCells {
  readonly ends: Int32Array<ArrayBuffer>
  readonly next: Int32Array<ArrayBuffer>
  readonly times: Float64Array<ArrayBuffer>
  /** The first free cell, and how many cells were ever used. */
  readonly heads: Int32Array<ArrayBuffer>
}

/**
 * The fast path for plain TCP segments of known connections, which are most packets of most captures: WebAssembly
 * parses, counts and times them in a stable chunk, and stops at payload and at any other packet. The counters of these
 * connections are in the same memory. `TcpTracker.take` is the twin in TypeScript.
 */
export class PlainSegments {
  readonly cells: TimedCells
  /** The code stopped at a plain segment of a connection that has no entry. `TcpTracker` takes that segment. */
  unknownConnection = false
  /** Whether the last unknown connection could be registered. */
  #canRegister = true
  readonly #memory: WasmChunkMemory
  readonly #code: SegmentCode
  readonly #ints: Int32Array
  readonly #doubles: Float64Array
  /** The state as a byte offset, as an index of integers, and as an index of doubles. */
  readonly #stateOffset: number
  readonly #state: number
  readonly #stateDoubles: number
  readonly #rowsOffset: number
  /** The entry of each row; 0: none. */
  readonly #entryOf = new Int32Array(ROW_COUNT)

  constructor(memory: WasmChunkMemory) {
    const { buffer } = memory.memory
    const state = memory.connectionTableOffset
    const entries = state + STATE_BYTES
    const ends = entries + ENTRY_COUNT * ENTRY_BYTES
    const nexts = ends + TIMED_CELLS * 4
    const times = nexts + TIMED_CELLS * 4
    this.#memory = memory
    this.#code = memory.load<SegmentCode>(code)
    this.#ints = new Int32Array(buffer)
    this.#doubles = new Float64Array(buffer)
    this.#stateOffset = state
    this.#state = state >> 2
    this.#stateDoubles = state >> 3
    this.#rowsOffset = times + TIMED_CELLS * 8
    this.cells = {
      ends: new Int32Array(buffer as ArrayBuffer, ends, TIMED_CELLS),
      next: new Int32Array(buffer as ArrayBuffer, nexts, TIMED_CELLS),
      times: new Float64Array(buffer as ArrayBuffer, times, TIMED_CELLS),
      heads: new Int32Array(buffer as ArrayBuffer, state + SEGMENT_STATE.FREE_CELL * 4, 2),
    }
    this.#setInt(SEGMENT_STATE.ENTRIES, entries)
    this.#setInt(SEGMENT_STATE.ENTRY_MASK, ENTRY_COUNT - 1)
    // Only spreads the entries, as in `FlowTable`.
    this.#setInt(SEGMENT_STATE.SEED, (Math.random() * 0x7fffffff) | 0)
    this.#setInt(SEGMENT_STATE.ENDS, ends)
    this.#setInt(SEGMENT_STATE.TIMES, times)
    this.#setInt(SEGMENT_STATE.NEXTS, nexts)
    this.#setInt(SEGMENT_STATE.CELL_COUNT, TIMED_CELLS)
  }

  /** Prepares for a tracker without connections. */
  reset({ tcpIdle, grace }: StreamLimits): void {
    this.unknownConnection = false
    this.#canRegister = true
    this.#setInt(SEGMENT_STATE.PACKETS, 0)
    this.#setInt(SEGMENT_STATE.BYTES, 0)
    this.#doubles[this.#stateDoubles + SEGMENT_STATE.TCP_IDLE] = tcpIdle
    this.#doubles[this.#stateDoubles + SEGMENT_STATE.GRACE] = grace
  }

  /** Memory for `count` rows of `bytes` each, from row `first` on; undefined if there is not enough. */
  readonly rows: RowAllocator = (first, count, bytes) => {
    if (bytes !== ROW_BYTES || first + count > ROW_COUNT) return undefined
    const { buffer } = this.#memory.memory
    return new DataView(buffer as ArrayBuffer, this.#rowsOffset + first * ROW_BYTES, count * ROW_BYTES)
  }

  /** Passes the form of the records of a run to the code. */
  begin({ format, interfaces, hasNotes }: PacketRun): void {
    this.#setInt(SEGMENT_STATE.FORMAT, format)
    this.#setInt(SEGMENT_STATE.INTERFACES, interfaces)
    this.#setInt(SEGMENT_STATE.HAS_NOTES, hasNotes ? 1 : 0)
  }

  /** Takes segments up to the next payload, which the getters below describe; false if it can take no more. */
  next(run: PacketRun, due: number): boolean {
    const { data } = run
    const memory = this.#memory
    const { base } = memory
    let limit = memory.loadedUntil(data, run.at, false)
    for (;;) {
      const result = this.#code.run(this.#stateOffset, base + run.at, base + limit, due)
      run.at = this.#ints[this.#state + SEGMENT_STATE.AT]! - base
      if (result === PAYLOAD) return true
      if (result === NEEDS_MORE) {
        const before = limit
        limit = memory.loadedUntil(data, run.at, true)
        if (limit > before) continue
      }
      this.unknownConnection = result === UNKNOWN_CONNECTION
      run.hasLearnt = this.unknownConnection && this.#canRegister
      return false
    }
  }

  /** Adds what was taken since the last call to `run`, and returns its bytes. */
  account(run: PacketRun): number {
    const bytes = this.#ints[this.#state + SEGMENT_STATE.BYTES]!
    run.packets += this.#ints[this.#state + SEGMENT_STATE.PACKETS]!
    run.time = this.time
    run.last = this.#ints[this.#state + SEGMENT_STATE.LAST]! - this.#memory.base
    this.#setInt(SEGMENT_STATE.PACKETS, 0)
    this.#setInt(SEGMENT_STATE.BYTES, 0)
    return bytes
  }

  /** The row of the connection that the payload belongs to. */
  get row(): number {
    return this.#ints[this.#state + SEGMENT_STATE.ROW]!
  }

  get fromHigh(): boolean {
    return this.#ints[this.#state + SEGMENT_STATE.FROM_HIGH] === 1
  }

  get start(): number {
    return this.#ints[this.#state + SEGMENT_STATE.BODY]! - this.#memory.base
  }

  get stop(): number {
    return this.#ints[this.#state + SEGMENT_STATE.STOP]! - this.#memory.base
  }

  get time(): number {
    return this.#doubles[this.#stateDoubles + SEGMENT_STATE.TIME]!
  }

  /** Whether the unknown connection has this key. */
  isUnknownKey(ports: number, low: number, high: number): boolean {
    const at = this.#state + SEGMENT_STATE.KEY
    return this.#ints[at] === ports && this.#ints[at + 1] === low && this.#ints[at + 2] === high
  }

  /** The unknown connection has this row. Another connection may lose its entry. */
  register(row: number, touched: number): void {
    this.#canRegister = row < ROW_COUNT
    if (!this.#canRegister) return
    const ints = this.#ints
    const entry = ints[this.#state + SEGMENT_STATE.ENTRY]!
    const at = entry >> 2
    if (ints[at + CONNECTION_ENTRY.ROW_OFFSET] !== 0) this.#entryOf[ints[at + CONNECTION_ENTRY.ROW]!] = 0
    for (let word = 0; word < 3; word++) ints[at + word] = ints[this.#state + SEGMENT_STATE.KEY + word]!
    ints[at + CONNECTION_ENTRY.ROW_OFFSET] = this.#rowsOffset + row * ROW_BYTES
    ints[at + CONNECTION_ENTRY.ROW] = row
    this.#doubles[(entry >> 3) + CONNECTION_ENTRY.TOUCHED] = touched
    this.#entryOf[row] = entry
  }

  /** The flow table moved the connection in its queue at `time`. */
  touch(row: number, time: number): void {
    const entry = row < ROW_COUNT ? this.#entryOf[row]! : 0
    if (entry !== 0) this.#doubles[(entry >> 3) + CONNECTION_ENTRY.TOUCHED] = time
  }

  /** The connection of the row is over. */
  forget(row: number): void {
    const entry = row < ROW_COUNT ? this.#entryOf[row]! : 0
    if (entry === 0) return
    this.#entryOf[row] = 0
    this.#ints[(entry >> 2) + CONNECTION_ENTRY.ROW_OFFSET] = 0
  }

  #setInt(word: number, value: number): void {
    this.#ints[this.#state + word] = value
  }
}
