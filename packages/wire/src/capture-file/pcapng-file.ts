import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import type { Loss } from '../loss.ts'
import type { PacketSink } from '../packet-sink.ts'
import type { RecordForm, RecordFormat } from '../record-form.ts'
import { BLOCK, BYTE_ORDER_MAGIC, OPTION } from './block.ts'
import { u16, u32 } from './byte-order.ts'
import type { CaptureFormat } from './capture-format.ts'
import type { CaptureNotes } from './capture-notes.ts'
import { PcapngInterface } from './pcapng-interface.ts'
import { eachOption } from './pcapng-options.ts'

/** Enough to tell type, length and, of a section header, the byte order. */
const HEAD = 12
/** A block that claims more is damage. */
const MAX_BLOCK = 64 * 1024 * 1024
/** Of blocks that hold only options: section headers, interfaces and statistics. */
const MAX_OPTIONS_BLOCK = 1024 * 1024
/** Resynchronising after damage accepts only blocks up to this length. So do packet blocks, unless an interface has a longer snap length. */
const MAX_PLAUSIBLE = 1024 * 1024
/** For the header and options of a packet block. */
const AROUND = 64 * 1024
const MAX_INTERFACES = 65_536

const text = new TextDecoder()

export class PcapngFile implements CaptureFormat {
  readonly name = 'pcapng'
  wanted = HEAD
  packets = 0
  readonly #sink: PacketSink
  readonly #loss: Loss
  readonly #notes: CaptureNotes | undefined
  #little = true
  #interfaces: PcapngInterface[] = []
  /** A longer packet block is damage. */
  #longest = MAX_PLAUSIBLE
  #lost = false
  #time = 0
  /** The form of the records, if all interfaces share it. */
  #form: RecordForm | undefined

  constructor(sink: PacketSink, loss: Loss, notes?: CaptureNotes) {
    this.#sink = sink
    this.#loss = loss
    this.#notes = notes
  }

  /** Undefined with notes: comments carry packet numbers, so no packet may be dropped before. */
  get form(): RecordForm | undefined {
    return this.#little && !this.#lost && this.#notes === undefined ? this.#form : undefined
  }

  static accepts(magic: number): boolean {
    return magic === BLOCK.section
  }

  walk(data: Uint8Array, start: number, end: number): number {
    let at = start
    this.wanted = HEAD
    while (end - at >= HEAD) {
      if (this.#lost) {
        at = this.#seek(data, at, end)
        if (this.#lost) break
      }
      if (u32(data, at, true) === BLOCK.section && !this.#section(data, at)) {
        this.#damage()
        at++
        continue
      }
      const total = u32(data, at + 4, this.#little)
      const most = this.#maxBlock(u32(data, at, this.#little))
      if (total < HEAD || total > most || (total & 3) !== 0) {
        this.#damage()
        at++
        continue
      }
      if (at + total > end) {
        this.wanted = total
        break
      }
      if (u32(data, at + total - 4, this.#little) !== total) {
        this.#damage()
        at++
        continue
      }
      if (!this.#block(data, at, total)) this.#count()
      at += total
    }
    return at
  }

  #maxBlock(type: number): number {
    if (isPacket(type)) return this.#longest
    return type === BLOCK.section || type === BLOCK.interface || type === BLOCK.statistics
      ? MAX_OPTIONS_BLOCK
      : MAX_BLOCK
  }

  /** The length of a block is wrong: searches the next block. */
  #damage(): void {
    this.#lost = true
    this.#count()
  }

  #count(): void {
    this.#loss.damaged_blocks = (this.#loss.damaged_blocks ?? 0) + 1
  }

  /** The byte order may change with each section. */
  #section(data: Uint8Array, at: number): boolean {
    const magic = u32(data, at + 8, true)
    if (magic === BYTE_ORDER_MAGIC) this.#little = true
    else if (u32(data, at + 8, false) === BYTE_ORDER_MAGIC) this.#little = false
    else return false
    return true
  }

  /** `false`: the block contradicts itself. */
  #block(data: Uint8Array, at: number, total: number): boolean {
    const little = this.#little
    const end = at + total - 4
    const type = u32(data, at, little)
    switch (type) {
      case BLOCK.enhancedPacket: {
        if (total < 32) return false
        const captured = u32(data, at + 20, little)
        const body = at + 28
        if (captured > end - body) return false
        const from = this.#interfaces[u32(data, at + 8, little)]
        if (from === undefined) return false
        const time = from.time(u32(data, at + 12, little), u32(data, at + 16, little))
        this.#packet(data, body, captured, u32(data, at + 24, little), time, from.link)
        const options = body + captured + (-captured & 3)
        if (options < end && this.#notes) this.#packetComments(data, options, end)
        return true
      }
      case BLOCK.simplePacket: {
        const from = this.#interfaces[0]
        if (from === undefined || total < 16) return false
        const length = u32(data, at + 8, little)
        const limit = from.snaplen === 0 ? length : Math.min(length, from.snaplen)
        // Simple packets have no time of their own.
        this.#packet(data, at + 12, Math.min(limit, end - at - 12), length, this.#time, from.link)
        return true
      }
      case BLOCK.packet: {
        if (total < 32) return false
        const captured = u32(data, at + 20, little)
        const from = this.#interfaces[u16(data, at + 8, little)]
        if (from === undefined || captured > end - at - 28) return false
        const time = from.time(u32(data, at + 12, little), u32(data, at + 16, little))
        this.#packet(data, at + 28, captured, u32(data, at + 24, little), time, from.link)
        return true
      }
      case BLOCK.section:
        return this.#sectionHeader(data, at, end)
      case BLOCK.interface:
        return this.#interface(data, at, end)
      case BLOCK.statistics:
        return this.#statistics(data, at, end)
      case BLOCK.names:
        this.#names(data, at + 8, end)
        return true
      case BLOCK.secrets:
        return this.#secrets(data, at, end)
      case BLOCK.custom:
      case BLOCK.customNoCopy:
      case BLOCK.journal:
        return true
      default:
        // The top bit marks blocks of local use. Any other unknown type is counted.
        if (type < 0x80000000) this.#count()
        return true
    }
  }

  #packet(data: Uint8Array, at: number, captured: number, length: number, time: number, link: number): void {
    this.packets++
    this.#time = time
    this.#sink.packet(data, at, at + captured, Math.max(length, captured), time, link)
  }

  #packetComments(data: Uint8Array, start: number, end: number): void {
    eachOption(data, start, end, this.#little, (code, at, length) => {
      if (code === OPTION.comment)
        this.#notes?.comment(text.decode(data.subarray(at, at + length)), this.packets)
    })
  }

  #sectionHeader(data: Uint8Array, at: number, end: number): boolean {
    if (end - at < 24) return false
    this.#interfaces = []
    this.#longest = MAX_PLAUSIBLE
    this.#form = undefined
    const notes = this.#notes
    if (notes)
      eachOption(data, at + 24, end, this.#little, (code, value, length) => {
        if (code === OPTION.comment) notes.comment(text.decode(data.subarray(value, value + length)))
        else if (code === OPTION.userApplication)
          notes.application = text.decode(data.subarray(value, value + length))
      })
    return true
  }

  #interface(data: Uint8Array, at: number, end: number): boolean {
    if (end - at < 16 || this.#interfaces.length >= MAX_INTERFACES) return false
    const added = new PcapngInterface(data, at + 8, end, this.#little)
    this.#interfaces.push(added)
    this.#longest = Math.min(MAX_BLOCK, Math.max(this.#longest, added.snaplen + AROUND))
    this.#shareForm(added.recordFormat)
    const { name, link, snaplen, comment } = added
    this.#notes?.interface(name === undefined ? { link, snaplen } : { name, link, snaplen })
    if (comment !== undefined) this.#notes?.comment(comment)
    return true
  }

  /** Another interface was described, with packets of this format. */
  #shareForm(format: RecordFormat | undefined): void {
    const { length } = this.#interfaces
    const isShared = format !== undefined && (length === 1 || format === this.#form?.format)
    this.#form = isShared ? { format, interfaces: length } : undefined
  }

  /** Counts are totals since the start of the capture, so only the growth since the last block is new. */
  #statistics(data: Uint8Array, at: number, end: number): boolean {
    if (end - at < 20) return false
    const little = this.#little
    const of = this.#interfaces[u32(data, at + 8, little)]
    if (of === undefined) return false
    let drops = 0
    eachOption(data, at + 20, end, little, (code, value, length) => {
      if (code === OPTION.comment) this.#notes?.comment(text.decode(data.subarray(value, value + length)))
      if (length < 8 || (code !== OPTION.interfaceDrops && code !== OPTION.systemDrops)) return
      const low = u32(data, little ? value : value + 4, little)
      const high = u32(data, little ? value + 4 : value, little)
      drops += Math.min(high * 4_294_967_296 + low, Number.MAX_SAFE_INTEGER)
    })
    if (drops > of.drops) {
      this.#loss.kernel_drops = (this.#loss.kernel_drops ?? 0) + drops - of.drops
      of.drops = drops
    }
    return true
  }

  #names(data: Uint8Array, start: number, end: number): void {
    const notes = this.#notes
    if (!notes) return
    eachOption(data, start, end, this.#little, (type, at, length) => {
      const size = type === 1 ? 4 : type === 2 ? 16 : 0
      if (size === 0 || length < size) return
      const address = size === 4 ? formatIPv4(data, at) : formatIPv6(data, at)
      for (const name of text.decode(data.subarray(at + size, at + length)).split('\0'))
        if (name !== '') notes.name(address, name)
    })
  }

  #secrets(data: Uint8Array, at: number, end: number): boolean {
    const length = u32(data, at + 12, this.#little)
    if (end - at < 16 || length > end - at - 16) return false
    const type = u32(data, at + 8, this.#little)
    const secrets = data.subarray(at + 16, at + 16 + length)
    this.#notes?.secret(type, secrets)
    this.#sink.secrets?.(type, secrets)
    return true
  }

  /** The first offset from `at` on that looks like a block: a known type, a sane length, and the same length at its end. */
  #seek(data: Uint8Array, start: number, end: number): number {
    const order = this.#little
    let at = start
    for (; end - at >= HEAD; at++) {
      this.#little = order
      const type = u32(data, at, order)
      if (type === BLOCK.section ? !this.#section(data, at) : type === 0 || type > BLOCK.secrets) continue
      const total = u32(data, at + 4, this.#little)
      if (total < HEAD || total > MAX_PLAUSIBLE || (total & 3) !== 0) continue
      if (at + total > end) {
        this.#little = order
        this.wanted = total
        return at
      }
      if (u32(data, at + total - 4, this.#little) !== total) continue
      this.#lost = false
      return at
    }
    this.#little = order
    return at
  }
}

function isPacket(type: number): boolean {
  return type === BLOCK.enhancedPacket || type === BLOCK.simplePacket || type === BLOCK.packet
}
