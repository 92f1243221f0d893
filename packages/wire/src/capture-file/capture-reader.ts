import { chunkMemory, type WasmChunkMemory } from '../accelerated/wasm-chunk-memory.ts'
import type { Loss } from '../loss.ts'
import { Malformed } from '../malformed.ts'
import type { PacketSink } from '../packet-sink.ts'
import { RecordBatch } from '../record-batch.ts'
import { u32 } from './byte-order.ts'
import type { CaptureFormat } from './capture-format.ts'
import type { CaptureNotes } from './capture-notes.ts'
import { PcapFile } from './pcap-file.ts'
import { PcapngFile } from './pcapng-file.ts'

const FIRST_CARRY = 4096
/** Added to the carry at least: enough to finish the carried record, so that the others are read in place. */
const LOOKAHEAD = 64

/**
 * Reads a capture file as a stream of chunks. Whole packets go to the sink at once; at most one unfinished record is
 * carried over. The carry grows with the bytes that arrived, never with a length that the file declares.
 */
export class CaptureReader {
  bytes = 0
  readonly #sink: PacketSink
  readonly #loss: Loss
  readonly #notes: CaptureNotes | undefined
  #format: CaptureFormat | undefined
  #carry = new Uint8Array(FIRST_CARRY)
  #carried = 0
  readonly #records = new RecordBatch()
  /** Packets that the sink dropped. */
  #dropped = 0
  readonly #memory: WasmChunkMemory

  constructor(sink: PacketSink, loss: Loss, notes?: CaptureNotes, memory: WasmChunkMemory = chunkMemory) {
    this.#memory = memory
    this.#sink = sink
    this.#loss = loss
    this.#notes = notes
  }

  get format(): 'pcap' | 'pcapng' | undefined {
    return this.#format?.name
  }

  get packets(): number {
    return this.#dropped + (this.#format?.packets ?? 0)
  }

  /**
   * Throws `Malformed` if the file does not begin like a capture file. `isStable`: the bytes will not change, as in
   * chunks that are each read into memory of their own. Of bytes in the read buffer (`borrowReadBuffer`), the reader
   * copies what it needs.
   */
  push(given: Uint8Array, isStable = false): void {
    this.bytes += given.length
    // `slice` of a Buffer returns a view; sinks rely on a copy.
    const chunk =
      given.constructor === Uint8Array ? given : new Uint8Array(given.buffer, given.byteOffset, given.length)
    if (this.#memory.isInReadBuffer(chunk)) this.#pushReadBuffer(chunk)
    else if (!isStable || !this.#sink.dropsForeignPackets) this.#push(chunk, isStable)
    else
      for (let at = 0; at < chunk.length; ) {
        const buffer = this.#memory.borrowReadBuffer()
        const part = chunk.subarray(at, at + buffer.length)
        buffer.set(part)
        this.#pushReadBuffer(buffer.subarray(0, part.length))
        at += part.length
      }
  }

  #pushReadBuffer(chunk: Uint8Array): void {
    const memory = this.#memory
    const start = chunk.byteOffset
    const end = start + chunk.length
    const form = this.#sink.dropsForeignPackets ? this.#format?.form : undefined
    const first = form && memory.prependCarry(this.#carry.subarray(0, this.#carried))
    if (form === undefined || first === undefined) {
      this.#push(memory.copyOut(start, end), true)
      return
    }
    this.#carried = 0
    const records = this.#records
    records.begin(form, first, end)
    this.#sink.dropForeignPackets?.(records)
    this.#dropped += records.packets
    const rest = memory.copyOut(records.at, end)
    const { isStuck } = records
    if (records.kept > 0) this.#push(memory.keepFiltered(records.kept), true)
    if (isStuck) this.#push(rest, true)
    else this.#keep(rest, 0, rest.length)
  }

  #push(chunk: Uint8Array, isStable: boolean): void {
    if (isStable) this.#sink.onStableChunk?.(chunk)
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

  /** Counts the bytes after the last whole packet. Throws `Malformed` if there were too few bytes for a capture. */
  end(): void {
    if (this.#format === undefined) throw new Malformed('not a capture file')
    const rest = this.#carried - this.#format.walk(this.#carry, 0, this.#carried, true)
    if (rest > 0) this.#loss.truncated_file = (this.#loss.truncated_file ?? 0) + rest
    this.#carried = 0
  }

  /** Adds enough of the chunk to the carried bytes to get on, and returns where in the chunk to go on. */
  #complete(chunk: Uint8Array, at: number): number {
    const wanted = this.#format?.wanted ?? 4
    // A share of what is carried as well: where damage looks like the start of a long block at every byte, each
    // step moves all that is carried.
    const step = Math.max(LOOKAHEAD, this.#carried >> 3, wanted - this.#carried)
    const upTo = Math.min(chunk.length, at + step)
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
