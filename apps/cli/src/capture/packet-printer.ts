import type { CaptureReader } from '@tapdeck/wire'
import { PacketDescriber, packetLine } from './described-packet.ts'
import { listeningReader, type StreamNotes } from './stream-notes.ts'

export interface PrinterOptions {
  readonly format: 'text' | 'json'
  readonly utc: boolean
}

const ENHANCED_PACKET = 6

/** Packets as lines of text or JSON, with the names that the stream carries. */
export class PacketPrinter {
  readonly #notes: StreamNotes
  readonly #options: PrinterOptions
  readonly #describer: PacketDescriber
  readonly #reader: CaptureReader
  #node: string | undefined
  #lines = ''

  constructor(notes: StreamNotes, options: PrinterOptions) {
    this.#notes = notes
    this.#options = options
    this.#describer = new PacketDescriber((ip) => notes.nameOf(ip))
    this.#reader = listeningReader(notes, { packet: (...packet) => this.#add(...packet) })
  }

  /** The lines of some whole blocks. */
  print(blocks: Buffer): string {
    this.#lines = ''
    for (let at = 0; at < blocks.length; ) {
      const end = at + blocks.readUInt32LE(at + 4)
      // One by one, since a reader does not say which interface a packet is of.
      const isPacket = blocks.readUInt32LE(at) === ENHANCED_PACKET
      this.#node = isPacket ? this.#notes.interfaces[blocks.readUInt32LE(at + 8)]?.name : undefined
      this.#reader.push(blocks.subarray(at, end))
      at = end
    }
    return this.#lines
  }

  #add(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    const node = this.#node
    const described = {
      ...this.#describer.describe(data, start, end, length, time, link),
      ...(node !== undefined && { node }),
    }
    const { format, utc } = this.#options
    this.#lines +=
      format === 'json'
        ? `${JSON.stringify({ ...described, time: instant(time, 0) })}\n`
        : `${packetLine(described, clockOf(time, utc))}\n`
  }
}

function clockOf(time: number, utc: boolean): string {
  const minutes = utc ? 0 : -new Date(time / 1000).getTimezoneOffset()
  return instant(time, minutes).slice(11, -1)
}

/** RFC 3339 with microseconds, as many minutes east of UTC. */
function instant(time: number, minutes: number): string {
  const text = new Date(Math.floor(time / 1000) + minutes * 60_000).toISOString()
  return `${text.slice(0, -1)}${String(Math.floor(time % 1000)).padStart(3, '0')}Z`
}
