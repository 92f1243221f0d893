import type { Loss } from '../loss.ts'
import { viewOf } from '../memory-view.ts'
import type { PacketSink } from '../packet-sink.ts'
import { PCAP_NS, PCAP_US, type RecordForm } from '../record-form.ts'
import { int32, u16, u32 } from './byte-order.ts'
import type { CaptureFormat } from './capture-format.ts'
import type { CaptureNotes } from './capture-notes.ts'

const FILE_HEADER = 24
const RECORD_HEADER = 16
/** LINKTYPE_ETHERNET */
const ETHERNET = 1
/** Real frames are shorter. A longer record is damage, except if the snap length of the file allows it. */
const MAX_PLAUSIBLE = 262_144
/** A longer record is damage in any file. */
const MAX_RECORD = 64 * 1024 * 1024
const DAY_SECONDS = 86_400

/** Classic pcap: microseconds or nanoseconds, either byte order, and the "modified" form with longer record headers. */
export class PcapFile implements CaptureFormat {
  readonly name = 'pcap'
  wanted = FILE_HEADER
  packets = 0
  readonly #sink: PacketSink
  readonly #loss: Loss
  readonly #notes: CaptureNotes | undefined
  readonly #little: boolean
  readonly #nanoseconds: boolean
  readonly #recordHeader: number
  #link = -1
  #longest = MAX_PLAUSIBLE
  #lastSecond = 0
  #lost = false
  #form: RecordForm | undefined

  constructor(magic: number, little: boolean, sink: PacketSink, loss: Loss, notes?: CaptureNotes) {
    this.#sink = sink
    this.#loss = loss
    this.#notes = notes
    this.#little = little
    this.#nanoseconds = magic === 0xa1b23c4d
    this.#recordHeader = magic === 0xa1b2cd34 ? 24 : RECORD_HEADER
  }

  get form(): RecordForm | undefined {
    return this.#lost ? undefined : this.#form
  }

  static accepts(magic: number): boolean {
    return magic === 0xa1b2c3d4 || magic === 0xa1b23c4d || magic === 0xa1b2cd34
  }

  walk(data: Uint8Array, start: number, end: number, last: boolean): number {
    let at = start
    if (this.#link < 0) {
      if (end - at < FILE_HEADER) return at
      this.#begin(data, at)
      at += FILE_HEADER
    }
    const little = this.#little
    const header = this.#recordHeader
    const nanoseconds = this.#nanoseconds
    const link = this.#link
    const sink = this.#sink
    const view = viewOf(data)
    this.wanted = header
    while (end - at >= header) {
      if (this.#lost) {
        at = this.#seek(data, at, end, last)
        if (this.#lost) break
      }
      const seconds = view.getInt32(at, little)
      const captured = view.getInt32(at + 8, little)
      if (captured < 0 || captured > this.#longest) {
        this.#damage()
        at++
        continue
      }
      const next = at + header + captured
      if (next > end) {
        this.wanted = header + captured
        break
      }
      const length = view.getInt32(at + 12, little)
      const fraction = view.getUint32(at + 4, little)
      // A float64 of this size can hold half microseconds; more digits would round up into the next one.
      const time = (seconds >>> 0) * 1e6 + (nanoseconds ? Math.floor(fraction / 500) / 2 : fraction)
      this.packets++
      this.#lastSecond = seconds
      sink.packet(data, at + header, next, Math.max(length, captured), time, link)
      at = next
    }
    return at
  }

  #begin(data: Uint8Array, at: number): void {
    const snaplen = u32(data, at + 16, this.#little)
    // The upper 16 bits describe frame check sequences, not the link type.
    this.#link = u16(data, this.#little ? at + 20 : at + 22, this.#little)
    this.#longest = Math.min(Math.max(snaplen, MAX_PLAUSIBLE), MAX_RECORD)
    this.#notes?.interface({ link: this.#link, snaplen })
    if (!this.#little || this.#link !== ETHERNET || this.#recordHeader !== RECORD_HEADER) return
    this.#form = { format: this.#nanoseconds ? PCAP_NS : PCAP_US, interfaces: 0 }
  }

  #damage(): void {
    this.#lost = true
    this.#loss.damaged_blocks = (this.#loss.damaged_blocks ?? 0) + 1
  }

  /** The first offset from `at` on that looks like a record and is followed by another one, or by the end. */
  #seek(data: Uint8Array, start: number, end: number, last: boolean): number {
    const header = this.#recordHeader
    let at = start
    for (; end - at >= header; at++) {
      if (!this.#plausible(data, at)) continue
      const size = header + u32(data, at + 8, this.#little)
      if (end - at < size + header) {
        if (!last) {
          this.wanted = size + header
          return at
        }
        if (end - at !== size) continue
      } else if (!this.#plausible(data, at + size)) continue
      this.#lost = false
      return at
    }
    return at
  }

  #plausible(data: Uint8Array, at: number): boolean {
    const little = this.#little
    const captured = u32(data, at + 8, little)
    const length = u32(data, at + 12, little)
    if (captured === 0 || captured > MAX_PLAUSIBLE || length < captured || length > MAX_RECORD) return false
    if (u32(data, at + 4, little) >= (this.#nanoseconds ? 1e9 : 1e6)) return false
    return this.#lastSecond === 0 || Math.abs(int32(data, at, little) - this.#lastSecond) < DAY_SECONDS
  }
}
