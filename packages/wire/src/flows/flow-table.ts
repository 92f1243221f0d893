import type { Packet } from '../packet.ts'

/** Words of a key: both ports, then the addresses of the low and of the high end (one word each for IPv4). */
const STRIDE = 10
const FIRST_CAPACITY = 1024
/** How long a flow may sit still before a packet moves it to the young end of its queue. */
const TOUCH_US = 1e6

/** Queues in which flows grow old: alive, about to end, and over but remembered for late packets. */
export const ALIVE = 0
export const ENDING = 1
export const OVER = 2
export type Queue = typeof ALIVE | typeof ENDING | typeof OVER
export const QUEUES: readonly Queue[] = [ALIVE, ENDING, OVER]

/**
 * The flows of one transport by their ends, whichever sends: open addressing over typed arrays with linear probing,
 * and queues in order of age. `find` leaves the key of the packet in the table for an `add` right after it.
 */
export class FlowTable<T> {
  size = 0
  /** Whether the packet of the last `find` came from the high end of its key. */
  fromHigh = false
  /** Hash and index + 1 of an entry; 0 where the slot is free. Twice as many slots as entries at least. */
  #slots = new Int32Array(FIRST_CAPACITY * 4)
  #mask = FIRST_CAPACITY * 2 - 1
  #capacity = FIRST_CAPACITY
  #keys = new Int32Array(FIRST_CAPACITY * STRIDE)
  #hashes = new Int32Array(FIRST_CAPACITY)
  #touched = new Float64Array(FIRST_CAPACITY)
  #older = new Int32Array(FIRST_CAPACITY)
  #younger = new Int32Array(FIRST_CAPACITY)
  #queue = new Uint8Array(FIRST_CAPACITY)
  readonly #entries: (T | undefined)[] = []
  readonly #free: number[] = []
  /** Two numbers that outlive the entry of a flow. */
  #marks = new Int32Array(FIRST_CAPACITY * 2)
  readonly #oldest = [-1, -1, -1]
  readonly #youngest = [-1, -1, -1]
  readonly #key = new Int32Array(STRIDE)
  #hash = 0
  // Only spreads the slots: which flows collide must not be for the sender of packets to choose.
  readonly #seed = (Math.random() * 0x7fffffff) | 0

  /** The index of the flow that the packet belongs to, or -1. */
  find(packet: Packet, sourcePort: number, destinationPort: number): number {
    return packet.v6
      ? this.#find6(packet, sourcePort, destinationPort)
      : this.#find4(packet, sourcePort, destinationPort)
  }

  get(index: number): T | undefined {
    return this.#entries[index]
  }

  /** Adds a flow under the key of the last `find`, which must have returned -1. */
  add(entry: T, time: number): number {
    if (this.size >= this.#capacity) this.#grow()
    const index = this.#free.pop() ?? this.size
    this.size++
    const keys = this.#keys
    const key = this.#key
    const words = key[1] === 4 ? 4 : STRIDE
    for (let word = 0, at = index * STRIDE; word < words; word++) keys[at + word] = key[word]
    this.#hashes[index] = this.#hash
    this.#touched[index] = time
    this.#entries[index] = entry
    this.#place(index)
    this.#append(index, ALIVE)
    return index
  }

  /** A packet of the flow came at `time`. */
  touch(index: number, time: number): void {
    const since = time - this.#touched[index]
    if (since > TOUCH_US || since < 0) this.move(index, this.#queue[index] as Queue, time)
  }

  /** Puts the flow to the young end of a queue. */
  move(index: number, queue: Queue, time: number): void {
    this.#unlink(index)
    this.#touched[index] = time
    this.#append(index, queue)
  }

  /** Lets go of what is kept of a flow but two marks, while its key goes on to swallow late packets. */
  release(index: number, time: number, lowMark = 0, highMark = 0): void {
    this.#entries[index] = undefined
    this.#marks[index * 2] = lowMark
    this.#marks[index * 2 + 1] = highMark
    this.move(index, OVER, time)
  }

  mark(index: number, high: boolean): number {
    return this.#marks[high ? index * 2 + 1 : index * 2]
  }

  /** The longest untouched flow of a queue, or -1. */
  oldest(queue: Queue): number {
    return this.#oldest[queue]
  }

  touchedAt(index: number): number {
    return this.#touched[index]
  }

  remove(index: number): void {
    this.#unlink(index)
    this.#vacate(this.#slotOf(index))
    this.#entries[index] = undefined
    this.#free.push(index)
    this.size--
  }

  #find4(packet: Packet, sourcePort: number, destinationPort: number): number {
    const { data, src, dst } = packet
    const a = (data[src] << 24) | (data[src + 1] << 16) | (data[src + 2] << 8) | data[src + 3]
    const b = (data[dst] << 24) | (data[dst + 1] << 16) | (data[dst + 2] << 8) | data[dst + 3]
    const swap = a > b || (a === b && sourcePort > destinationPort)
    this.fromHigh = swap
    const low = swap ? b : a
    const high = swap ? a : b
    const ports = swap ? (destinationPort << 16) | sourcePort : (sourcePort << 16) | destinationPort
    let hash = Math.imul(low ^ this.#seed, 0x9e3779b1)
    hash = Math.imul(hash ^ (hash >>> 15) ^ high, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13) ^ ports, 0xc2b2ae35)
    hash ^= hash >>> 16
    const slots = this.#slots
    const keys = this.#keys
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot * 2 + 1]
      if (found === 0) break
      if (slots[slot * 2] !== hash) continue
      const key = (found - 1) * STRIDE
      if (keys[key] === ports && keys[key + 1] === 4 && keys[key + 2] === low && keys[key + 3] === high)
        return found - 1
    }
    const key = this.#key
    key[0] = ports
    key[1] = 4
    key[2] = low
    key[3] = high
    this.#hash = hash
    return -1
  }

  #find6(packet: Packet, sourcePort: number, destinationPort: number): number {
    const { data, src, dst } = packet
    let order = 0
    for (let at = 0; at < 16 && order === 0; at++) order = data[src + at] - data[dst + at]
    const swap = order > 0 || (order === 0 && sourcePort > destinationPort)
    this.fromHigh = swap
    const key = this.#key
    key[0] = swap ? (destinationPort << 16) | sourcePort : (sourcePort << 16) | destinationPort
    key[1] = 6
    let hash = Math.imul(key[0] ^ this.#seed, 0x9e3779b1)
    for (let word = 0; word < 8; word++) {
      const at = (word < 4 === swap ? dst : src) + (word & 3) * 4
      const value = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
      // Not in the place of key[1], which tells IPv6 from IPv4.
      key[2 + word] = value
      hash = Math.imul(hash ^ (hash >>> 15) ^ value, 0x85ebca6b)
    }
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
    this.#hash = hash
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot * 2 + 1]
      if (found === 0) return -1
      if (slots[slot * 2] === hash && this.#isKey((found - 1) * STRIDE)) return found - 1
    }
  }

  #isKey(at: number): boolean {
    for (let word = 0; word < STRIDE; word++) if (this.#keys[at + word] !== this.#key[word]) return false
    return true
  }

  #place(index: number): void {
    const hash = this.#hashes[index]
    let slot = hash & this.#mask
    while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & this.#mask
    this.#slots[slot * 2] = hash
    this.#slots[slot * 2 + 1] = index + 1
  }

  #slotOf(index: number): number {
    let slot = this.#hashes[index] & this.#mask
    while (this.#slots[slot * 2 + 1] !== index + 1) slot = (slot + 1) & this.#mask
    return slot
  }

  /** Frees a slot and moves up what was only behind it because it was taken, so that no tombstones remain. */
  #vacate(start: number): void {
    const slots = this.#slots
    const mask = this.#mask
    let hole = start
    for (let slot = (hole + 1) & mask; slots[slot * 2 + 1] !== 0; slot = (slot + 1) & mask) {
      const home = slots[slot * 2] & mask
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      slots[hole * 2] = slots[slot * 2]
      slots[hole * 2 + 1] = slots[slot * 2 + 1]
      hole = slot
    }
    slots[hole * 2 + 1] = 0
  }

  #append(index: number, queue: Queue): void {
    const before = this.#youngest[queue]
    this.#queue[index] = queue
    this.#older[index] = before
    this.#younger[index] = -1
    if (before < 0) this.#oldest[queue] = index
    else this.#younger[before] = index
    this.#youngest[queue] = index
  }

  #unlink(index: number): void {
    const queue = this.#queue[index]
    const older = this.#older[index]
    const younger = this.#younger[index]
    if (older < 0) this.#oldest[queue] = younger
    else this.#younger[older] = younger
    if (younger < 0) this.#youngest[queue] = older
    else this.#older[younger] = older
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    this.#capacity = capacity
    this.#keys = widen(this.#keys, new Int32Array(capacity * STRIDE))
    this.#hashes = widen(this.#hashes, new Int32Array(capacity))
    this.#older = widen(this.#older, new Int32Array(capacity))
    this.#younger = widen(this.#younger, new Int32Array(capacity))
    const queue = new Uint8Array(capacity)
    queue.set(this.#queue)
    this.#queue = queue
    const touched = new Float64Array(capacity)
    touched.set(this.#touched)
    this.#touched = touched
    this.#marks = widen(this.#marks, new Int32Array(capacity * 2))
    this.#slots = new Int32Array(capacity * 4)
    this.#mask = capacity * 2 - 1
    for (let index = 0; index < this.size; index++) this.#place(index)
  }
}

function widen(old: Int32Array<ArrayBuffer>, wide: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  wide.set(old)
  return wide
}
