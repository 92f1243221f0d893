import { shadow } from '../lasting-shadow.ts'
import type { Loss } from '../loss.ts'
import { Malformed } from '../malformed.ts'
import type { PacketSink } from '../packet-sink.ts'
import { StagedRecords } from '../staged-records.ts'
import { u32 } from './byte-order.ts'
import type { CaptureFormat } from './capture-format.ts'
import type { CaptureNotes } from './capture-notes.ts'
import { PcapFile } from './pcap-file.ts'
import { PcapngFile } from './pcapng-file.ts'

const FIRST_CARRY = 4096
/** Taken at least to complete a record: enough to be past what was carried, so that the rest is read in place. */
const LOOKAHEAD = 64

/**
 * A capture file as a stream of chunks: whole packets go to the sink as they come, at most one unfinished record
 * is carried over. The carry grows with the bytes that arrived, never with a length that the file declares.
 */
export class CaptureReader {
  bytes = 0
  readonly #sink: PacketSink
  readonly #loss: Loss
  readonly #notes: CaptureNotes | undefined
  #format: CaptureFormat | undefined
  #carry = new Uint8Array(FIRST_CARRY)
  #carried = 0
  readonly #records = new StagedRecords()
  /** Packets that the sink left out. */
  #leftOut = 0

  constructor(sink: PacketSink, loss: Loss, notes?: CaptureNotes) {
    this.#sink = sink
    this.#loss = loss
    this.#notes = notes
  }

  get format(): 'pcap' | 'pcapng' | undefined {
    return this.#format?.name
  }

  get packets(): number {
    return this.#leftOut + (this.#format?.packets ?? 0)
  }

  /**
   * Throws `Malformed` where the file begins as no capture file does. `lasting`: nobody will write to these bytes again,
   * as with chunks that are each read into memory of their own. Of those on the stage (`shadow.takeStage`) what is
   * wanted is copied.
   */
  push(given: Uint8Array, lasting = false): void {
    this.bytes += given.length
    // `slice` of a Buffer is a view, not the copy that whoever keeps bytes counts on.
    const chunk =
      given.constructor === Uint8Array ? given : new Uint8Array(given.buffer, given.byteOffset, given.length)
    if (shadow.stages(chunk)) this.#pushStaged(chunk)
    else if (!lasting || !this.#sink.sifts) this.#push(chunk, lasting)
    else
      for (let at = 0; at < chunk.length; ) {
        const stage = shadow.takeStage()
        const part = chunk.subarray(at, at + stage.length)
        stage.set(part)
        this.#pushStaged(stage.subarray(0, part.length))
        at += part.length
      }
  }

  #pushStaged(chunk: Uint8Array): void {
    const start = chunk.byteOffset
    const end = start + chunk.length
    const form = this.#sink.sifts ? this.#format?.form : undefined
    const lead = form && shadow.lead(this.#carry.subarray(0, this.#carried))
    if (form === undefined || lead === undefined) {
      this.#push(shadow.lift(start, end), true)
      return
    }
    this.#carried = 0
    const records = this.#records
    records.begin(form, lead, end)
    this.#sink.sift?.(records)
    this.#leftOut += records.packets
    const rest = shadow.lift(records.at, end)
    const { isStuck } = records
    if (records.kept > 0) this.#push(shadow.keep(records.kept), true)
    if (isStuck) this.#push(rest, true)
    else this.#keep(rest, 0, rest.length)
  }

  #push(chunk: Uint8Array, lasting: boolean): void {
    if (lasting) this.#sink.lasting?.(chunk)
    let at = 0
    while (this.#carried > 0 && at < chunk.length) at = this.#complete(chunk, at)
    if (at === chunk.length) return
    if (this.#format === undefined) {
      if (chunk.length - at >= 4) this.#open(chunk, at)
      else {
        this.#keep(chunk, at, chunk.length)
        return
      }
    }
    this.#keep(chunk, this.#format!.walk(chunk, at, chunk.length, false), chunk.length)
  }

  /** Counts what stood after the last whole packet. Throws `Malformed` where there was too little to be a capture. */
  end(): void {
    if (this.#format === undefined) throw new Malformed('not a capture file')
    const rest = this.#carried - this.#format.walk(this.#carry, 0, this.#carried, true)
    if (rest > 0) this.#loss.truncated_file = (this.#loss.truncated_file ?? 0) + rest
    this.#carried = 0
  }

  /** Adds enough of the chunk to the carried bytes to get on, and returns where in the chunk to go on. */
  #complete(chunk: Uint8Array, at: number): number {
    const wanted = this.#format?.wanted ?? 4
    const upTo = Math.min(chunk.length, at + Math.max(LOOKAHEAD, wanted - this.#carried))
    this.#keep(chunk, at, upTo)
    if (this.#carried < wanted) return upTo
    if (this.#format === undefined) this.#open(this.#carry, 0)
    const used = this.#format!.walk(this.#carry, 0, this.#carried, false)
    const rest = this.#carried - used
    if (rest <= upTo - at) {
      this.#carried = 0
      return upTo - rest
    }
    this.#carry.copyWithin(0, used, this.#carried)
    this.#carried = rest
    return upTo
  }

  #open(data: Uint8Array, at: number): void {
    for (const little of [true, false]) {
      const magic = u32(data, at, little)
      if (PcapFile.accepts(magic))
        this.#format = new PcapFile(magic, little, this.#sink, this.#loss, this.#notes)
    }
    if (PcapngFile.accepts(u32(data, at, false)))
      this.#format = new PcapngFile(this.#sink, this.#loss, this.#notes)
    if (this.#format === undefined) throw new Malformed('not a capture file')
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const size = this.#carried + end - start
    if (size > this.#carry.length) {
      const grown = new Uint8Array(Math.max(size, this.#carry.length * 2))
      grown.set(this.#carry.subarray(0, this.#carried))
      this.#carry = grown
    }
    this.#carry.set(chunk.subarray(start, end), this.#carried)
    this.#carried = size
  }
}
