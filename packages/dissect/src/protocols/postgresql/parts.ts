import { type Side, viewOf } from '@tapdeck/wire'
import { isTransactionState } from './evidence.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'

/** More messages of a packet are another frame. */
const MAX_COUNT = 64

/** How long a message of a type may be: it has none, any, that of a header alone, that of a header and a state. */
const UNKNOWN = 0
const ANY = 1
const BARE = 2
const STATE = 3
/** As these say it: the type does not count. */
const BARE_LENGTH = HEADER - 1
const STATE_LENGTH = HEADER

const RULES: readonly [Uint8Array, Uint8Array] = [
  ruled(Object.values(FRONTEND), []),
  ruled(Object.values(BACKEND), [
    BACKEND.parseComplete,
    BACKEND.bindComplete,
    BACKEND.closeComplete,
    BACKEND.noData,
    BACKEND.portalSuspended,
    BACKEND.emptyQuery,
    BACKEND.copyDone,
  ]),
]
RULES[1][BACKEND.readyForQuery] = STATE

/** Which type goes on with a part that ends with this one; 0: none does. */
const RUNS: readonly [Uint8Array, Uint8Array] = [new Uint8Array(256), new Uint8Array(256)]
RUNS[0][FRONTEND.copyData] = FRONTEND.copyData
RUNS[1][BACKEND.copyData] = BACKEND.copyData
RUNS[1][BACKEND.dataRow] = BACKEND.dataRow
RUNS[1][BACKEND.rowDescription] = BACKEND.dataRow

function ruled(types: readonly number[], bare: readonly number[]): Uint8Array {
  const rules = new Uint8Array(256)
  for (const type of types) rules[type] = ANY
  for (const type of bare) rules[type] = BARE
  return rules
}

/**
 * The messages of a frame, in order: rows side by side are one part, with the description before them, and so is copied data.
 * They are measured once, before the frame is known to be one, and read right after that.
 */
export class Parts {
  count = 0
  readonly types = new Uint8Array(MAX_COUNT)
  readonly ends = new Int32Array(MAX_COUNT)
  /** How many messages a part is. */
  readonly messages = new Int32Array(MAX_COUNT)
  #bytes: Uint8Array | undefined
  #start = 0

  /**
   * Measures the messages that stand whole in `bytes[start, end)` and have a type. Returns where they end: what is odd ends
   * them as well, and is valid only for the first reader.
   */
  measure(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const rules = RULES[side]
    const runs = RUNS[side]
    const { types, ends, messages } = this
    const view = viewOf(bytes)
    let count = 0
    let running = 0
    let at = start
    while (end - at >= HEADER) {
      const type = bytes[at]
      const rule = rules[type]
      const length = view.getInt32(at + 1)
      if (rule === UNKNOWN || length < 4 || length >= end - at) break
      if (rule === BARE && length !== BARE_LENGTH) break
      if (rule === STATE && (length !== STATE_LENGTH || !isTransactionState(bytes[at + HEADER]))) break
      if (type !== running) {
        if (count === MAX_COUNT) break
        types[count] = type
        messages[count] = 0
        running = runs[type]
        count++
      }
      at += length + 1
      messages[count - 1]++
      ends[count - 1] = at
    }
    this.count = count
    // Skip redundant stores: each costs a GC write barrier.
    if (this.#bytes !== bytes) this.#bytes = bytes
    this.#start = start
    return at
  }

  /** Whether they are those of `bytes[start, end)`; only the first reader may rely on it. */
  areThose(bytes: Uint8Array, start: number, end: number): boolean {
    const { count } = this
    const those = count > 0 && this.#start === start && this.ends[count - 1] === end && this.#bytes === bytes
    this.#start = -1
    return those
  }

  /** What cannot be measured is one message. */
  setOnly(type: number, end: number): void {
    this.count = 1
    this.types[0] = type
    this.ends[0] = end
    this.messages[0] = 1
  }
}

/** Whether a message of that type may begin what this side says. */
export function isKnown(type: number, side: Side): boolean {
  return RULES[side][type] !== UNKNOWN
}

/**
 * Whether a message may be as long as it says. Those that are always the same length keep a stream of something else from being
 * followed for long.
 */
export function isFitting(
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  side: Side,
): boolean {
  const rule = RULES[side][bytes[start]]
  if (rule === BARE) return length === BARE_LENGTH
  if (rule !== STATE) return true
  return length === STATE_LENGTH && (end - start <= HEADER || isTransactionState(bytes[start + HEADER]))
}
