import { parseAddress } from '../parse-address.ts'
import { BLOCK, BYTE_ORDER_MAGIC, OPTION } from './block.ts'
import { copyBytes, putU16, putU32 } from './copy-bytes.ts'
import type { WrittenPacket } from './written-packet.ts'

const TWO_32 = 4_294_967_296
const MICROSECONDS = 6
const FIRST_SIZE = 4096
/** Names of one record must fit its 16-bit length. */
const MAX_NAMES_LENGTH = 60_000
const IPV4_NAME = 1
const IPV6_NAME = 2

const encoder = new TextEncoder()

export interface WrittenInterface {
  readonly link: number
  readonly snaplen?: number
  readonly name?: string
}

/** Totals since the start of the capture. */
export interface WrittenStatistics {
  readonly received?: number
  readonly drops: number
  readonly comment?: string
}

/**
 * Writes pcapng blocks (draft-ietf-opsawg-pcapng), least significant byte first, times in microseconds. Blocks
 * collect in a buffer that grows until `take`; on the hot path `writePacket` goes to a buffer of the caller instead.
 */
export class PcapngWriter {
  #bytes = new Uint8Array(FIRST_SIZE)
  #length = 0
  #interfaces = 0

  /** Bytes that `take` would give. */
  get length(): number {
    return this.#length
  }

  /** What was written since the last `take`. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return taken
  }

  /** Begins a section: interfaces are counted anew. */
  section(application = 'tapdeck'): void {
    this.#interfaces = 0
    const name = encoder.encode(application)
    this.#block(BLOCK.section, 16 + optionSize(name.length) + 4, (at) => {
      putU32(this.#bytes, at, BYTE_ORDER_MAGIC)
      putU16(this.#bytes, at + 4, 1)
      putU16(this.#bytes, at + 6, 0)
      // The length of the section is not known in advance: -1.
      putU32(this.#bytes, at + 8, 0xffffffff)
      putU32(this.#bytes, at + 12, 0xffffffff)
      this.#endOfOptions(this.#option(at + 16, OPTION.userApplication, name))
    })
  }

  /** Describes an interface and returns its number for packets and statistics. */
  interface({ link, snaplen = 0, name = '' }: WrittenInterface): number {
    const text = encoder.encode(name)
    const size = 8 + (text.length > 0 ? optionSize(text.length) : 0) + optionSize(1) + 4
    this.#block(BLOCK.interface, size, (at) => {
      putU16(this.#bytes, at, link)
      putU16(this.#bytes, at + 2, 0)
      putU32(this.#bytes, at + 4, snaplen)
      const next = text.length > 0 ? this.#option(at + 8, OPTION.interfaceName, text) : at + 8
      this.#endOfOptions(this.#option(next, OPTION.timeResolution, Uint8Array.of(MICROSECONDS)))
    })
    return this.#interfaces++
  }

  packet(
    interfaceId: number,
    time: number,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
  ): void {
    this.#reserve(this.packetSize(end - start))
    const packet = { time, data, start, end, length }
    this.#length = this.writePacket(this.#bytes, this.#length, interfaceId, packet)
  }

  /** Bytes that `writePacket` writes for a packet of which `captured` bytes are kept. */
  packetSize(captured: number, comment?: Uint8Array): number {
    return 32 + captured + (-captured & 3) + (comment === undefined ? 0 : optionSize(comment.length) + 4)
  }

  /** Writes an enhanced packet block at `at` of `target`, which has the space, and returns where it ends. */
  writePacket(target: Uint8Array, at: number, interfaceId: number, packet: WrittenPacket): number {
    const { time, data, start, end, length, comment } = packet
    const captured = end - start
    const size = this.packetSize(captured, comment)
    const high = Math.floor(time / TWO_32)
    putU32(target, at, BLOCK.enhancedPacket)
    putU32(target, at + 4, size)
    putU32(target, at + 8, interfaceId)
    putU32(target, at + 12, high)
    putU32(target, at + 16, Math.floor(time - high * TWO_32))
    putU32(target, at + 20, captured)
    putU32(target, at + 24, length)
    let next = copyBytes(target, at + 28, data, start, end)
    for (let padding = -captured & 3; padding > 0; padding--) target[next++] = 0
    if (comment !== undefined) {
      next = putOption(target, next, OPTION.comment, comment)
      putU32(target, next, 0)
    }
    putU32(target, at + size - 4, size)
    return at + size
  }

  /** What an interface received and lost up to `time`. */
  statistics(interfaceId: number, time: number, { received, drops, comment = '' }: WrittenStatistics): void {
    const text = encoder.encode(comment)
    const counts = (received === undefined ? 0 : optionSize(8)) + optionSize(8)
    const size = 12 + (text.length > 0 ? optionSize(text.length) : 0) + counts + 4
    this.#block(BLOCK.statistics, size, (at) => {
      putU32(this.#bytes, at, interfaceId)
      const high = Math.floor(time / TWO_32)
      putU32(this.#bytes, at + 4, high)
      putU32(this.#bytes, at + 8, Math.floor(time - high * TWO_32))
      let next = text.length > 0 ? this.#option(at + 12, OPTION.comment, text) : at + 12
      if (received !== undefined) next = this.#option(next, OPTION.interfaceReceived, u64(received))
      this.#endOfOptions(this.#option(next, OPTION.interfaceDrops, u64(drops)))
    })
  }

  /** Names by address. Throws `Malformed` where one is no IP address. */
  names(entries: Iterable<readonly [string, readonly string[]]>): void {
    const records: Uint8Array[] = []
    for (const [address, names] of entries) {
      const ip = parseAddress(address)
      const value = encoder.encode(`${names.join('\0')}\0`)
      if (names.length === 0 || value.length > MAX_NAMES_LENGTH) continue
      const record = new Uint8Array(optionSize(ip.length + value.length))
      putU16(record, 0, ip.length === 4 ? IPV4_NAME : IPV6_NAME)
      putU16(record, 2, ip.length + value.length)
      record.set(ip, 4)
      record.set(value, 4 + ip.length)
      records.push(record)
    }
    const size = records.reduce((sum, record) => sum + record.length, 4)
    this.#block(BLOCK.names, size, (at) => {
      let next = at
      for (const record of records) {
        this.#bytes.set(record, next)
        next += record.length
      }
      this.#endOfOptions(next)
    })
  }

  /** Keys that travel with the capture, such as a TLS key log (type 0x544c534b). */
  secrets(type: number, data: Uint8Array): void {
    this.#block(BLOCK.secrets, 8 + data.length + (-data.length & 3), (at) => {
      putU32(this.#bytes, at, type)
      putU32(this.#bytes, at + 4, data.length)
      const end = copyBytes(this.#bytes, at + 8, data, 0, data.length)
      this.#bytes.fill(0, end, end + (-data.length & 3))
    })
  }

  #block(type: number, bodySize: number, body: (at: number) => void): void {
    const size = 12 + bodySize
    this.#reserve(size)
    const at = this.#length
    putU32(this.#bytes, at, type)
    putU32(this.#bytes, at + 4, size)
    body(at + 8)
    putU32(this.#bytes, at + size - 4, size)
    this.#length += size
  }

  #option(at: number, code: number, value: Uint8Array): number {
    return putOption(this.#bytes, at, code, value)
  }

  #endOfOptions(at: number): void {
    putU32(this.#bytes, at, 0)
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#length + size, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}

function optionSize(length: number): number {
  return 4 + length + (-length & 3)
}

function putOption(target: Uint8Array, at: number, code: number, value: Uint8Array): number {
  putU16(target, at, code)
  putU16(target, at + 2, value.length)
  let next = copyBytes(target, at + 4, value, 0, value.length)
  for (let padding = -value.length & 3; padding > 0; padding--) target[next++] = 0
  return next
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  putU32(bytes, 0, value % TWO_32)
  putU32(bytes, 4, Math.floor(value / TWO_32))
  return bytes
}
