import { shadow } from '../lasting-shadow.ts'
import type { PacketRun } from '../packet-run.ts'
import type { StreamLimits } from '../stream-limits.ts'
import code from './plain-segments.wasm.ts'

/** What the code says when it stops. */
const PAYLOAD = 3
const STRANGER = 2
const WANTS_MORE = 0

interface SegmentCode {
  run(state: number, at: number, limit: number, due: number): number
}

/** Words of the state, with what the code is told and what it leaves. */
const AT = 0
const ROW = 1
const FROM_HIGH = 2
const BODY = 3
const STOP = 4
const PACKETS = 5
const BYTES = 6
const LAST = 7
const ENTRIES = 10
const MASK = 11
const SEED = 12
const ENTRY = 13
const KEY = 14
const ENDS = 17
const TIMES = 18
const NEXTS = 19
const CAPACITY = 20
const FREE = 21
const HAS_NOTES = 23
const FORMAT = 25
const INTERFACES = 26
/** Doubles of it. */
const TIME = 4
const TCP_IDLE = 14
const GRACE = 15
const STATE_BYTES = 256

/** An entry has ports and addresses as a slot of `FlowTable`, where its row stands, when it was touched, and its row. */
const ENTRY_BYTES = 32
const ENTRY_COUNT = 16 * 1024
const ENTRY_PLACE = 3
const ENTRY_TOUCHED = 2
const ENTRY_ROW = 6

/** Segments that are timed at once, in all connections. */
const CELLS = 256 * 1024
const ROW_BYTES = 400
const ROW_COUNT = 64 * 1024

const { memory, base, plot } = shadow
const entriesAt = plot + STATE_BYTES
const endsAt = entriesAt + ENTRY_COUNT * ENTRY_BYTES
const nextsAt = endsAt + CELLS * 4
const timesAt = nextsAt + CELLS * 4
const rowsAt = timesAt + CELLS * 8

const { run: runCode } = shadow.load<SegmentCode>(code)

const ints = new Int32Array(memory.buffer)
const doubles = new Float64Array(memory.buffer)
const state = plot >> 2
const stateDoubles = plot >> 3

/** Memory that code sees for the numbers of segments that are timed. */
export interface TimedCells {
  readonly ends: Int32Array<ArrayBuffer>
  readonly next: Int32Array<ArrayBuffer>
  readonly times: Float64Array<ArrayBuffer>
  /** The first that is free, and how many were ever used. */
  readonly heads: Int32Array<ArrayBuffer>
}

const timedCells: TimedCells = {
  ends: new Int32Array(memory.buffer, endsAt, CELLS),
  next: new Int32Array(memory.buffer, nextsAt, CELLS),
  times: new Float64Array(memory.buffer, timesAt, CELLS),
  heads: new Int32Array(memory.buffer, plot + FREE * 4, 2),
}
/** The entries of rows; 0: it has none, as all rows that nobody uses. */
const entryOf = new Int32Array(ROW_COUNT)

let isLent = false

/**
 * Plain segments of connections that are known, taken by code out of a file that has a shadow, with all that is counted and
 * timed of them: most packets of most captures. The rows of these connections stand in the same memory. One `TcpTracker` at a
 * time has it in each thread; whatever the code leaves goes the way of all packets.
 */
export class PlainSegments {
  readonly cells = timedCells
  /** The code met a plain segment of a connection that has no entry; it was left to be taken like all others. */
  metStranger = false
  /** The last one that it met could be told to it. */
  #learns = true
  /** Undefined while another has it. */
  static borrow(limits: StreamLimits): PlainSegments | undefined {
    if (isLent) return undefined
    isLent = true
    return new PlainSegments(limits)
  }

  private constructor({ tcpIdle, grace }: StreamLimits) {
    ints[state + ENTRIES] = entriesAt
    ints[state + MASK] = ENTRY_COUNT - 1
    // Only spreads the entries, as in `FlowTable`.
    ints[state + SEED] = (Math.random() * 0x7fffffff) | 0
    ints[state + ENDS] = endsAt
    ints[state + TIMES] = timesAt
    ints[state + NEXTS] = nextsAt
    ints[state + CAPACITY] = CELLS
    ints[state + PACKETS] = 0
    ints[state + BYTES] = 0
    doubles[stateDoubles + TCP_IDLE] = tcpIdle
    doubles[stateDoubles + GRACE] = grace
  }

  /** All rows are forgotten. Nobody may use it, or memory of it, any more. */
  giveBack(): void {
    isLent = false
  }

  /** Memory for so many rows of so many bytes, from the `first` on; undefined where there is not so much. */
  readonly rows = (first: number, count: number, bytes: number): DataView<ArrayBuffer> | undefined => {
    if (bytes !== ROW_BYTES || first + count > ROW_COUNT) return undefined
    return new DataView(memory.buffer as ArrayBuffer, rowsAt + first * ROW_BYTES, count * ROW_BYTES)
  }

  /** What the code is told of the records of a run. */
  begin({ format, interfaces, hasNotes }: PacketRun): void {
    ints[state + FORMAT] = format
    ints[state + INTERFACES] = interfaces
    ints[state + HAS_NOTES] = hasNotes ? 1 : 0
  }

  /** Takes segments up to one whose payload is to be handed on, and is told below; false where it can take no more. */
  next(run: PacketRun, due: number): boolean {
    const { data } = run
    let limit = shadow.reach(data, run.at, false)
    for (;;) {
      const told = runCode(plot, base + run.at, base + limit, due)
      run.at = ints[state + AT] - base
      if (told === PAYLOAD) return true
      if (told === WANTS_MORE) {
        const before = limit
        limit = shadow.reach(data, run.at, true)
        if (limit > before) continue
      }
      this.metStranger = told === STRANGER
      run.hasLearnt = this.metStranger && this.#learns
      return false
    }
  }

  /** What was taken since this was asked for last. */
  account(run: PacketRun): number {
    const bytes = ints[state + BYTES]
    run.packets += ints[state + PACKETS]
    run.time = doubles[stateDoubles + TIME]
    run.last = ints[state + LAST] - base
    ints[state + PACKETS] = 0
    ints[state + BYTES] = 0
    return bytes
  }

  /** Of the segment with payload: the row of its connection, who sent it, where the payload stands, and when it came. */
  get row(): number {
    return ints[state + ROW]
  }

  get fromHigh(): boolean {
    return ints[state + FROM_HIGH] === 1
  }

  get start(): number {
    return ints[state + BODY] - base
  }

  get stop(): number {
    return ints[state + STOP] - base
  }

  get time(): number {
    return doubles[stateDoubles + TIME]
  }

  /** Whether the stranger had this key. */
  isStranger(ports: number, low: number, high: number): boolean {
    const at = state + KEY
    return ints[at] === ports && ints[at + 1] === low && ints[at + 2] === high
  }

  /** The stranger belongs to that row. Another may lose its entry to it. */
  know(row: number, touched: number): void {
    this.#learns = row < ROW_COUNT
    if (!this.#learns) return
    const entry = ints[state + ENTRY]
    const at = entry >> 2
    if (ints[at + ENTRY_PLACE] !== 0) entryOf[ints[at + ENTRY_ROW]] = 0
    for (let word = 0; word < 3; word++) ints[at + word] = ints[state + KEY + word]
    ints[at + ENTRY_PLACE] = rowsAt + row * ROW_BYTES
    ints[at + ENTRY_ROW] = row
    doubles[(entry >> 3) + ENTRY_TOUCHED] = touched
    entryOf[row] = entry
  }

  /** Its place among those that grow old is new since `time`. */
  touch(row: number, time: number): void {
    const entry = row < ROW_COUNT ? entryOf[row] : 0
    if (entry !== 0) doubles[(entry >> 3) + ENTRY_TOUCHED] = time
  }

  /** The row will be that of another. */
  forget(row: number): void {
    const entry = row < ROW_COUNT ? entryOf[row] : 0
    if (entry === 0) return
    entryOf[row] = 0
    ints[(entry >> 2) + ENTRY_PLACE] = 0
  }
}
