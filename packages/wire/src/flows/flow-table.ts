import type { Packet } from '../packet.ts'

/** Words of a slot: both ports and both IPv4 addresses, the low end first, then what it leads to. */
const SLOT = 4
const FOUND = 3
/** Words of an IPv6 key: both ports, then the addresses of the low and of the high end. */
const KEY6 = 9
/** Words of the queue links of a flow, which are read and written together. */
const LINK = 4
const OLDER = 0
const YOUNGER = 1
const QUEUE = 2
/** Of its key. */
const HASH = 3
const FIRST_CAPACITY = 1024
/** A packet moves its flow to the young end of the queue only after this time. */
const TOUCH_US = 1e6

/** Queues by age: alive, about to end, and over but remembered for late packets. */
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
  /**
   * At least twice as many slots as entries. A slot has the IPv4 key and index + 1 of its entry, so that one access finds
   * it; for IPv6 it has the hash and a negative index. 0: the slot is free.
   */
  #slots = new Int32Array(FIRST_CAPACITY * 2 * SLOT)
  #mask = FIRST_CAPACITY * 2 - 1
  #capacity = FIRST_CAPACITY
  /** Empty until there is one. */
  #keys6 = new Int32Array(0)
  #touched = new Float64Array(FIRST_CAPACITY)
  #links = new Int32Array(FIRST_CAPACITY * LINK)
  readonly #entries: (T | undefined)[] = []
  readonly #free: number[] = []
  /** Two numbers that outlive the entry of a flow. */
  #marks = new Int32Array(FIRST_CAPACITY * 2)
  readonly #oldest = [-1, -1, -1]
  readonly #youngest = [-1, -1, -1]
  /** The key that was looked for last: of IPv4 its ports and addresses, of IPv6 where `#isKey6`. */
  #ports = 0
  #low = 0
  #high = 0
  #isKey6 = false
  readonly #key6 = new Int32Array(KEY6)
  #hash = 0
  // Spreads the slots: the sender of packets must not choose which flows collide.
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
    if (this.#isKey6) this.#keep6(index)
    this.#links[index * LINK + HASH] = this.#hash
    this.#touched[index] = time
    this.#entries[index] = entry
    this.#place(
      this.#hash,
      this.#isKey6 ? this.#hash : this.#ports,
      this.#low,
      this.#high,
      this.#isKey6 ? -1 - index : index + 1,
    )
    this.#append(index, ALIVE)
    return index
  }

  /** A packet of the flow came at `time`. */
  touch(index: number, time: number): void {
    const since = time - this.#touched[index]
    if (since > TOUCH_US || since < 0) this.move(index, this.queueOf(index), time)
  }

  /** Puts the flow to the young end of a queue. */
  move(index: number, queue: Queue, time: number): void {
    this.#unlink(index)
    this.#touched[index] = time
    this.#append(index, queue)
  }

  /** Drops the entry of a flow, except two marks. Its key stays to catch late packets. */
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

  queueOf(index: number): Queue {
    return this.#links[index * LINK + QUEUE] as Queue
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
    const { view } = packet
    const a = view.getInt32(packet.src)
    const b = view.getInt32(packet.dst)
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
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT
      const found = slots[at + FOUND]
      if (found === 0) break
      if (slots[at] === ports && slots[at + 1] === low && slots[at + 2] === high && found > 0)
        return found - 1
    }
    this.#ports = ports
    this.#low = low
    this.#high = high
    this.#isKey6 = false
    this.#hash = hash
    return -1
  }

  #find6(packet: Packet, sourcePort: number, destinationPort: number): number {
    const { data, src, dst } = packet
    let order = 0
    for (let at = 0; at < 16 && order === 0; at++) order = data[src + at] - data[dst + at]
    const swap = order > 0 || (order === 0 && sourcePort > destinationPort)
    this.fromHigh = swap
    const key = this.#key6
    key[0] = swap ? (destinationPort << 16) | sourcePort : (sourcePort << 16) | destinationPort
    let hash = Math.imul(key[0] ^ this.#seed, 0x9e3779b1)
    for (let word = 0; word < 8; word++) {
      const at = (word < 4 === swap ? dst : src) + (word & 3) * 4
      const value = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
      key[1 + word] = value
      hash = Math.imul(hash ^ (hash >>> 15) ^ value, 0x85ebca6b)
    }
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
    this.#isKey6 = true
    this.#hash = hash
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot * SLOT + FOUND]
      if (found === 0) return -1
      if (found < 0 && slots[slot * SLOT] === hash && this.#isAt6(-1 - found)) return -1 - found
    }
  }

  #isAt6(index: number): boolean {
    const at = index * KEY6
    for (let word = 0; word < KEY6; word++) if (this.#keys6[at + word] !== this.#key6[word]) return false
    return true
  }

  #keep6(index: number): void {
    const length = this.#capacity * KEY6
    if (this.#keys6.length < length) this.#keys6 = widen(this.#keys6, new Int32Array(length))
    this.#keys6.set(this.#key6, index * KEY6)
  }

  #place(hash: number, first: number, second: number, third: number, found: number): void {
    const slots = this.#slots
    const mask = this.#mask
    let slot = hash & mask
    while (slots[slot * SLOT + FOUND] !== 0) slot = (slot + 1) & mask
    const at = slot * SLOT
    slots[at] = first
    slots[at + 1] = second
    slots[at + 2] = third
    slots[at + FOUND] = found
  }

  /** Of what a slot leads to. */
  #hashOf(found: number): number {
    return this.#links[(found < 0 ? -1 - found : found - 1) * LINK + HASH]
  }

  #slotOf(index: number): number {
    const slots = this.#slots
    const mask = this.#mask
    let slot = this.#links[index * LINK + HASH] & mask
    for (; ; slot = (slot + 1) & mask) {
      const found = slots[slot * SLOT + FOUND]
      if (found === index + 1 || found === -1 - index) return slot
    }
  }

  /** Frees a slot and moves up what was only behind it because it was taken, so that no tombstones remain. */
  #vacate(start: number): void {
    const slots = this.#slots
    const mask = this.#mask
    let hole = start
    for (let slot = (hole + 1) & mask; slots[slot * SLOT + FOUND] !== 0; slot = (slot + 1) & mask) {
      const home = this.#hashOf(slots[slot * SLOT + FOUND]) & mask
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue
      for (let word = 0; word < SLOT; word++) slots[hole * SLOT + word] = slots[slot * SLOT + word]
      hole = slot
    }
    slots[hole * SLOT + FOUND] = 0
  }

  #append(index: number, queue: Queue): void {
    const links = this.#links
    const at = index * LINK
    const before = this.#youngest[queue]
    links[at + QUEUE] = queue
    links[at + OLDER] = before
    links[at + YOUNGER] = -1
    if (before < 0) this.#oldest[queue] = index
    else links[before * LINK + YOUNGER] = index
    this.#youngest[queue] = index
  }

  #unlink(index: number): void {
    const links = this.#links
    const at = index * LINK
    const queue = links[at + QUEUE]
    const older = links[at + OLDER]
    const younger = links[at + YOUNGER]
    if (older < 0) this.#oldest[queue] = younger
    else links[older * LINK + YOUNGER] = younger
    if (younger < 0) this.#youngest[queue] = older
    else links[younger * LINK + OLDER] = older
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    this.#capacity = capacity
    this.#links = widen(this.#links, new Int32Array(capacity * LINK))
    const touched = new Float64Array(capacity)
    touched.set(this.#touched)
    this.#touched = touched
    this.#marks = widen(this.#marks, new Int32Array(capacity * 2))
    const slots = this.#slots
    this.#slots = new Int32Array(capacity * 2 * SLOT)
    this.#mask = capacity * 2 - 1
    for (let at = 0; at < slots.length; at += SLOT) {
      const found = slots[at + FOUND]
      if (found !== 0) this.#place(this.#hashOf(found), slots[at], slots[at + 1], slots[at + 2], found)
    }
  }
}

function widen(old: Int32Array<ArrayBuffer>, wide: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  wide.set(old)
  return wide
}
