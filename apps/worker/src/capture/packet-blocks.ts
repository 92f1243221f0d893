import { FILLER, PAGE_BYTES, STATISTICS_BYTES } from '@tapdeck/recording'
import { hasEthernetHeader, isLoopback } from './link-type.ts'
import { OVERWRITTEN, type PlainPackets } from './plain-packets.ts'
import type { TwinPackets } from './twin-packets.ts'

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

/** Up to this many bytes a loop over words is faster than the call that moves memory. */
const SMALL = 128
/** Behind a small packet that was copied, at most. */
const COPIED_TOO_MUCH = 12
/** More bytes than this between two packets that stay, as of one that is left out, are not worth writing. */
const MOST_FILLER = 512

/**
 * Why `PacketBlocks.run` came back: all is done, there is no room for the next packet, its interface has no number, or
 * it cannot stay where it is.
 */
export const DONE = 0
export const FULL = 1
export const UNKNOWN_INTERFACE = 2
export const MUST_MOVE = 3
export type Stop = typeof DONE | typeof FULL | typeof UNKNOWN_INTERFACE | typeof MUST_MOVE

/**
 * Packets of the kernel's blocks as enhanced packet blocks of pcapng, in the same memory: one loop without a call or
 * an object a packet, since it runs for every packet of the machine. It comes back where somebody has to decide.
 *
 * Packets are copied tightly to `to`; or, with `inPlace`, stay where the kernel put them: pcapng's header takes the place of
 * the end of the kernel's, and the rest of that becomes an option of the packet before. What follows a packet that is left out and
 * large moves up.
 */
export class PacketBlocks {
  /** Packets of link layers that are not followed. */
  unknown = 0
  /** Where packets can pass several interfaces: finds those that did already, which are left out and counted. */
  readonly twins: TwinPackets | undefined
  duplicates = 0
  /** Where the page begins that the first of the blocks is in. */
  page = 0
  /** Where the blocks begin that are not flushed yet, where the next one goes, and where the room ends. */
  from = 0
  to = 0
  end = 0
  /** Bytes that should be flushed together at most, where they are copied. */
  most = 0
  /** Packets stay where they are. What one `run` made must be flushed before the next. */
  inPlace = false
  /** Packets since `restart`, and the earliest and the latest of them (microseconds). */
  packets = 0
  first = 0
  last = 0
  /** What the packet that it stopped at needs, and where it came from. */
  size = 0
  interfaceIndex = -1
  hardwareType = -1
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  readonly #plain: PlainPackets | undefined
  /** The last block made. */
  #block = 0
  /** In place: the word that the end of the last block covers, which may be the beginning of the next kernel header. */
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

  /** With `plain`, which works in the same memory as `twins`, most packets cost less. */
  constructor(memory: ArrayBuffer, plain?: PlainPackets, twins?: TwinPackets) {
    this.#plain = plain
    this.twins = twins
    this.#bytes = new Uint8Array(memory)
    this.#words = new Int32Array(memory)
  }

  /** Begins with a block of the kernel: the first packet lies at `at`. */
  begin(at: number, packets: number): void {
    this.#at = at
    this.#remaining = packets
  }

  /** What is flushed is out of the way; the next packet goes to `to`, a multiple of 4, behind room for a block of statistics. */
  restart(to: number, front: number): void {
    this.page = to
    this.from = to + front
    this.to = to + front
    this.packets = 0
    if (this.#lentWord < 0) return
    this.#words[this.#lentWord] = this.#lent
    this.#lentWord = -1
  }

  /** Packets of this interface bear the number `id` from now on. */
  number(index: number, hardware: number, id: number): void {
    this.#interfaces.set(index * 65_536 + hardware, id)
  }

  forgetInterfaces(): void {
    this.#interfaces.clear()
    this.#knownIndex = -1
    this.#plain?.forgetInterfaces()
  }

  /** What is to be flushed: whole blocks. */
  get made(): Uint8Array {
    return this.#bytes.subarray(this.from, this.to)
  }

  /** The same as whole pages, with the room in front. Only where nothing that is needed lies behind it. */
  pages(): Uint8Array {
    const words = this.#words
    const room = -this.to & (PAGE_BYTES - 1)
    if (room > 0) {
      const end = this.to + room
      // In place of the length at its end, the last block gets an option that is as long.
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
    const { end: room, most, inPlace, twins } = this
    if (inPlace) this.page = this.#at & -PAGE_BYTES
    let { from, to, packets, first, last } = this
    let before = this.#block
    // In variables, not fields: the loop below is what recording small packets costs.
    let knownIndex = this.#knownIndex
    let knownHardware = this.#knownHardware
    let knownId = this.#knownId
    let second = this.#second
    let secondHigh = this.#secondHigh
    let secondLow = this.#secondLow
    let at = this.#at
    let remaining = this.#remaining
    let stop: Stop = DONE
    const plain = inPlace ? undefined : this.#plain
    for (; remaining > 0; remaining--) {
      if (plain !== undefined) {
        const were = remaining
        const limit = Math.min(room - OVERWRITTEN, from + most)
        plain.copy(at, remaining, to, limit, packets === 0 ? NEVER : first, packets === 0 ? 0 : last)
        remaining = plain.remaining
        if (remaining < were) {
          at = plain.at
          const copied = were - remaining - plain.duplicates
          this.duplicates += plain.duplicates
          if (copied > 0) {
            to = plain.to
            first = plain.first
            last = plain.last
            before = plain.block >> 2
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
      } else if (to + size + COPIED_TOO_MUCH > room || (packets > 0 && to - from + size > most)) {
        this.size = size + COPIED_TOO_MUCH
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
      if (twins !== undefined && !isLoopback(hardware)) {
        const untagged = tagged ? start + TAG : start
        if (twins.has(untagged, end, hasEthernetHeader(hardware), index, low)) {
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
        if (header - least <= MOST_FILLER) {
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
        // Padding, where there is any, is in the word before the last.
        if (captured > SMALL || (start & 3) !== 0) {
          if (captured > 0) words[(to >> 2) - 1] = 0
          bytes.copyWithin(packet << 2, start, end)
        } else {
          // Four at a time: what is too much lies behind the block, where the next one comes.
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

  /** Ends the block that begins at the word `block` at `to`, where its packet ends; returns where the next byte goes. */
  #close(block: number, to: number): number {
    const size = to + 4 - (block << 2)
    this.#words[block + 1] = size
    this.#words[to >> 2] = size
    return to + 4
  }

  /** Ends the block at the word `block`, whose packet ends at `to`, where the next one has its header. */
  #join(block: number, to: number, header: number): void {
    const words = this.#words
    const room = header - 4 - to
    words[to >> 2] = FILLER | ((room - 8) << 16)
    // What lay there tells of other packets, which a filter may leave out of an export. The last word ends the options.
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
      this.#plain?.know(index, hardware, id, isLoopback(hardware) ? 0 : (this.twins?.table ?? 0))
    return true
  }

  #setSecond(seconds: number): void {
    const time = (seconds >>> 0) * 1e6
    this.#second = seconds
    this.#secondHigh = (time / TWO_32) | 0
    this.#secondLow = (time - this.#secondHigh * TWO_32) | 0
  }

  /** The kernel keeps a VLAN tag beside the frame; its place is after the two addresses, which move to `start`. */
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
