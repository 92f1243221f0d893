import { FILLER, PAGE_BYTES, STATISTICS_BYTES } from '@tapdeck/recording'
import { hasEthernetHeader, isLoopback } from './link-type.ts'
import { OVERWRITTEN, type PacketCopy } from './packet-copy.ts'
import type { PacketDeduplicator } from './packet-deduplicator.ts'

/** struct tpacket3_hdr, in 32-bit words, and sockaddr_ll behind it. */
const NEXT = 0
const SECONDS = 1
const NANOSECONDS = 2
const CAPTURED = 3
const LENGTH = 4
const FLAGS = 5
const OFFSETS = 6
const VLAN_TCI = 8
const VLAN_TPID = 9
const SLL_PROTOCOL_BYTE = 48 + 2
const SLL_INTERFACE = 12 + 1
const SLL_HARDWARE = 12 + 2

const TP_STATUS_VLAN_VALID = 1 << 4
const TP_STATUS_VLAN_TPID_VALID = 1 << 6
const ETHER_TYPE_VLAN = 0x8100
const MACS = 12
const TAG = 4

const ENHANCED_PACKET = 6
const HEADER_WORDS = 7
const OVERHEAD = 32
const TWO_32 = 4_294_967_296
const NEVER = 2 ** 62

/** Up to this many bytes a loop over words is faster than `copyWithin`. */
const MAX_WORD_LOOP = 128
/** Bytes that the word loop may write after a small packet. */
const WORD_LOOP_EXCESS = 12
/** A larger gap between two packets in place, such as a skipped packet, is not written to disk. */
const MAX_FILLER = 512

/** Why `PacketBlocks.run` returned: done; the buffer is full; the interface has no id; the packet cannot stay in place. */
export const DONE = 0
export const FULL = 1
export const UNKNOWN_INTERFACE = 2
export const MUST_MOVE = 3
export type Stop = typeof DONE | typeof FULL | typeof UNKNOWN_INTERFACE | typeof MUST_MOVE

/**
 * Turns packets of the kernel's blocks into enhanced packet blocks of pcapng, in the same memory. It is one loop without
 * calls or objects per packet, since it runs for every packet of the machine. It returns where the caller must decide.
 *
 * Packets are copied to `to` without gaps. With `inPlace` they stay in the kernel's buffer: the pcapng header overwrites the
 * end of the kernel's header, and the rest becomes an option of the previous packet. Packets after a large skipped packet
 * are moved up.
 */
export class PacketBlocks {
  /** Packets of unsupported link layers. */
  unknown = 0
  /** Set if all interfaces are captured: finds packets already seen on another interface, which are skipped and counted. */
  readonly deduplicator: PacketDeduplicator | undefined
  duplicates = 0
  /** Start of the page that contains the first block. */
  page = 0
  /** Start of the blocks that are not flushed yet, position of the next one, and end of the buffer. */
  from = 0
  to = 0
  end = 0
  /** Limit of copied bytes that are flushed together. */
  maxFlush = 0
  /** Packets stay in the kernel's buffer. The result of one `run` must be flushed before the next. */
  inPlace = false
  /** Packets since `restart`, with the earliest and the latest time (microseconds). */
  packets = 0
  first = 0
  last = 0
  /** The bytes that the packet at which it stopped needs, and its interface. */
  size = 0
  interfaceIndex = -1
  hardwareType = -1
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  readonly #copy: PacketCopy | undefined
  /** The last block written. */
  #block = 0
  /** In place: the word that the end of the last block covers; it may be the start of the next kernel header. */
  #lentWord = -1
  #lent = 0
  readonly #interfaces = new Map<number, number>()
  #at = 0
  #remaining = 0
  #knownIndex = -1
  #knownHardware = -1
  #knownId = -1
  #second = -1
  #secondHigh = 0
  #secondLow = 0

  /** `copy` is the fast path for most packets; it uses the same memory as `deduplicator`. */
  constructor(memory: ArrayBuffer, copy?: PacketCopy, deduplicator?: PacketDeduplicator) {
    this.#copy = copy
    this.deduplicator = deduplicator
    this.#bytes = new Uint8Array(memory)
    this.#words = new Int32Array(memory)
  }

  /** Begins with a kernel block whose first packet is at `at`. */
  begin(at: number, packets: number): void {
    this.#at = at
    this.#remaining = packets
  }

  /** After a flush: the next packet goes to `to`, a multiple of 4, after space for a statistics block. */
  restart(to: number, front: number): void {
    this.page = to
    this.from = to + front
    this.to = to + front
    this.packets = 0
    if (this.#lentWord < 0) return
    this.#words[this.#lentWord] = this.#lent
    this.#lentWord = -1
  }

  /** Packets of this interface get the pcapng id `id` from now on. */
  setInterfaceId(index: number, hardware: number, id: number): void {
    this.#interfaces.set(index * 65_536 + hardware, id)
  }

  forgetInterfaces(): void {
    this.#interfaces.clear()
    this.#knownIndex = -1
    this.#copy?.forgetInterfaces()
  }

  /** The blocks to flush. */
  get made(): Uint8Array {
    return this.#bytes.subarray(this.from, this.to)
  }

  /** The same as whole pages, including the space before. Overwrites the bytes after the last block. */
  pages(): Uint8Array {
    const words = this.#words
    const room = -this.to & (PAGE_BYTES - 1)
    if (room > 0) {
      const end = this.to + room
      // An option in the last block fills the page; the length follows after it.
      words.fill(0, (this.to >> 2) - 1, end >> 2)
      if (room > 4) words[(this.to >> 2) - 1] = FILLER | ((room - 8) << 16)
      this.#close(this.#block, end - 4)
      this.to = end
    }
    this.#lentWord = -1
    return this.#bytes.subarray(this.page, this.to)
  }

  run(): Stop {
    const bytes = this.#bytes
    const words = this.#words
    const { end: bufferEnd, maxFlush, inPlace, deduplicator } = this
    if (inPlace) this.page = this.#at & -PAGE_BYTES
    let { from, to, packets, first, last } = this
    let before = this.#block
    // Local variables instead of fields: this loop dominates the cost of small packets.
    let knownIndex = this.#knownIndex
    let knownHardware = this.#knownHardware
    let knownId = this.#knownId
    let second = this.#second
    let secondHigh = this.#secondHigh
    let secondLow = this.#secondLow
    let at = this.#at
    let remaining = this.#remaining
    let stop: Stop = DONE
    const copy = inPlace ? undefined : this.#copy
    for (; remaining > 0; remaining--) {
      if (copy !== undefined) {
        const were = remaining
        const limit = Math.min(bufferEnd - OVERWRITTEN, from + maxFlush)
        copy.copy(at, remaining, to, limit, packets === 0 ? NEVER : first, packets === 0 ? 0 : last)
        remaining = copy.remaining
        if (remaining < were) {
          at = copy.at
          const copied = were - remaining - copy.duplicates
          this.duplicates += copy.duplicates
          if (copied > 0) {
            to = copy.to
            first = copy.first
            last = copy.last
            before = copy.block >> 2
            packets += copied
          }
          if (remaining === 0) break
        }
      }
      const word = at >> 2
      const offsets = words[word + OFFSETS]
      const hardware = words[word + SLL_HARDWARE] & 0xffff
      let start = at + (offsets & 0xffff)
      let length = words[word + LENGTH]
      const end = start + words[word + CAPTURED]
      let tagged = false
      if (hasEthernetHeader(hardware)) {
        if ((words[word + FLAGS] & TP_STATUS_VLAN_VALID) !== 0 && end - start >= MACS) {
          tagged = true
          start -= TAG
          length += TAG
        }
      } else {
        const network = at + (offsets >>> 16)
        length -= network - start
        start = network
        if (!isIp(bytes, at + SLL_PROTOCOL_BYTE) || start >= end) {
          this.unknown++
          at += words[word + NEXT]
          continue
        }
      }
      const captured = end - start
      const size = OVERHEAD + captured + (-captured & 3)
      const index = words[word + SLL_INTERFACE]
      if (index !== knownIndex || hardware !== knownHardware) {
        if (!this.#know(index, hardware)) {
          stop = UNKNOWN_INTERFACE
          break
        }
        knownIndex = index
        knownHardware = hardware
        knownId = this.#knownId
      }
      if (inPlace) {
        if ((start & 3) !== 0) {
          stop = MUST_MOVE
          break
        }
      } else if (to + size + WORD_LOOP_EXCESS > bufferEnd || (packets > 0 && to - from + size > maxFlush)) {
        this.size = size + WORD_LOOP_EXCESS
        stop = FULL
        break
      }
      const seconds = words[word + SECONDS]
      if (seconds !== second) {
        this.#setSecond(seconds)
        second = seconds
        secondHigh = this.#secondHigh
        secondLow = this.#secondLow
      }
      const micros = (words[word + NANOSECONDS] / 1000) | 0
      const low = (secondLow + micros) | 0
      if (deduplicator !== undefined && !isLoopback(hardware)) {
        const untagged = tagged ? start + TAG : start
        if (deduplicator.has(untagged, end, hasEthernetHeader(hardware), index, low)) {
          this.duplicates++
          at += words[word + NEXT]
          continue
        }
      }
      if (tagged) this.#restoreTag(word, start)
      const high = low >>> 0 < micros ? secondHigh + 1 : secondHigh
      const time = (seconds >>> 0) * 1e6 + micros
      if (packets === 0) {
        first = time
        last = time
      } else if (time > last) last = time
      else if (time < first) first = time

      const next = words[word + NEXT]
      if (inPlace) {
        const header = start - HEADER_WORDS * 4
        const least = packets === 0 ? this.page + STATISTICS_BYTES : to + 4
        if (header - least <= MAX_FILLER) {
          if (packets > 0) this.#join(before, to, header)
          to = header
        } else {
          if (packets > 0) this.#close(before, to)
          to = least
          bytes.copyWithin(to + HEADER_WORDS * 4, start, end)
        }
        if (packets === 0) from = to
      }
      packets++
      const block = to >> 2
      words[block] = ENHANCED_PACKET
      words[block + 1] = size
      words[block + 2] = knownId
      words[block + 3] = high
      words[block + 4] = low
      words[block + 5] = captured
      words[block + 6] = length
      to += HEADER_WORDS * 4
      before = block
      if (inPlace) {
        to += size - OVERHEAD
        if ((captured & 3) !== 0) words[(to >> 2) - 1] &= (1 << ((captured & 3) << 3)) - 1
      } else {
        const packet = to >> 2
        to += size - OVERHEAD
        // Padding, if any, is in the word before the last.
        if (captured > MAX_WORD_LOOP || (start & 3) !== 0) {
          if (captured > 0) words[(to >> 2) - 1] = 0
          bytes.copyWithin(packet << 2, start, end)
        } else {
          // Four words at a time: the excess is overwritten by the next block.
          let source = start >> 2
          const stop = packet + ((captured + 3) >> 2)
          for (let target = packet; target < stop; target += 4) {
            words[target] = words[source]
            words[target + 1] = words[source + 1]
            words[target + 2] = words[source + 2]
            words[target + 3] = words[source + 3]
            source += 4
          }
          if ((captured & 3) !== 0) words[stop - 1] &= (1 << ((captured & 3) << 3)) - 1
        }
        words[to >> 2] = size
        to += 4
      }
      at += next
    }
    if (inPlace && packets > 0) {
      this.#lentWord = to >> 2
      this.#lent = words[to >> 2]
      to = this.#close(before, to)
    }
    this.#block = before
    this.#at = at
    this.#remaining = remaining
    this.from = from
    this.to = to
    this.packets = packets
    this.first = first
    this.last = last
    return stop
  }

  /** Ends the block at the word `block`, whose packet ends at `to`; returns the position of the next byte. */
  #close(block: number, to: number): number {
    const size = to + 4 - (block << 2)
    this.#words[block + 1] = size
    this.#words[to >> 2] = size
    return to + 4
  }

  /** Ends the block at the word `block`, whose packet ends at `to`, right before the next header. */
  #join(block: number, to: number, header: number): void {
    const words = this.#words
    const room = header - 4 - to
    words[to >> 2] = FILLER | ((room - 8) << 16)
    // Clear the old bytes: they belong to other packets, which an export may exclude. The last word ends the options.
    for (let i = (to >> 2) + 1; i < (header >> 2) - 1; i++) words[i] = 0
    this.#close(block, header - 4)
  }

  #know(index: number, hardware: number): boolean {
    const id = this.#interfaces.get(index * 65_536 + hardware)
    if (id === undefined) {
      this.interfaceIndex = index
      this.hardwareType = hardware
      return false
    }
    this.#knownIndex = index
    this.#knownHardware = hardware
    this.#knownId = id
    if (hasEthernetHeader(hardware))
      this.#copy?.know(index, hardware, id, isLoopback(hardware) ? 0 : (this.deduplicator?.table ?? 0))
    return true
  }

  #setSecond(seconds: number): void {
    const time = (seconds >>> 0) * 1e6
    this.#second = seconds
    this.#secondHigh = (time / TWO_32) | 0
    this.#secondLow = (time - this.#secondHigh * TWO_32) | 0
  }

  /** The kernel strips the VLAN tag; it belongs after the two MAC addresses, which move to `start`. */
  #restoreTag(word: number, start: number): void {
    const bytes = this.#bytes
    const tpid =
      (this.#words[word + FLAGS] & TP_STATUS_VLAN_TPID_VALID) !== 0
        ? this.#words[word + VLAN_TPID] & 0xffff
        : ETHER_TYPE_VLAN
    const tci = this.#words[word + VLAN_TCI]
    bytes.copyWithin(start, start + TAG, start + TAG + MACS)
    const tag = start + MACS
    bytes[tag] = tpid >>> 8
    bytes[tag + 1] = tpid
    bytes[tag + 2] = tci >>> 8
    bytes[tag + 3] = tci
  }
}

function isIp(bytes: Uint8Array, at: number): boolean {
  const protocol = (bytes[at] << 8) | bytes[at + 1]
  return protocol === 0x0800 || protocol === 0x86dd
}
