import { PCAPNG_NS, PCAPNG_US, type RecordFormat } from '../record-form.ts'
import { OPTION } from './block.ts'
import { u16, u32 } from './byte-order.ts'
import { eachOption } from './pcapng-options.ts'

const text = new TextDecoder()
const TWO_32 = 4_294_967_296

/** One interface of a section: how to read the times of its packets, and how many it lost. */
export class PcapngInterface {
  readonly link: number
  readonly snaplen: number
  name: string | undefined
  drops = 0
  comment: string | undefined
  /** Microseconds of one unit of the upper and of the lower 32 bits of a timestamp. */
  #high = TWO_32
  #low = 1
  #nanoseconds = false
  #offset = 0

  /** Reads the body of an interface description block: `data[at, end)` with its options. */
  constructor(data: Uint8Array, at: number, end: number, little: boolean) {
    this.link = u16(data, at, little)
    this.snaplen = u32(data, at + 4, little)
    let name: Uint8Array | undefined
    let comment: Uint8Array | undefined
    eachOption(data, at + 8, end, little, (code, value, length) => {
      if (code === OPTION.interfaceName) name = data.subarray(value, value + length)
      else if (code === OPTION.comment) comment = data.subarray(value, value + length)
      else if (code === OPTION.timeResolution && length >= 1) this.#resolution(data[value])
      else if (code === OPTION.timeOffset && length >= 8) {
        const low = u32(data, little ? value : value + 4, little)
        const high = u32(data, little ? value + 4 : value, little) | 0
        this.#offset = (high * TWO_32 + low) * 1e6
      }
    })
    // Decoded once, however often the block repeats them.
    this.name = name && text.decode(name)
    this.comment = comment && text.decode(comment)
  }

  /** Microseconds since the epoch; nanoseconds are rounded down to half microseconds. */
  time(high: number, low: number): number {
    if (this.#nanoseconds) {
      // The 64-bit count does not fit a float64; its quotient by 1000 does, with half microseconds.
      const rest = high * 296 + low
      return high * 4_294_967 + Math.floor(rest / 500) / 2 + this.#offset
    }
    return high * this.#high + low * this.#low + this.#offset
  }

  /** The record format of its packets; undefined if the fast path does not know it. */
  get recordFormat(): RecordFormat | undefined {
    if (this.link !== 1 || this.#offset !== 0) return undefined
    if (this.#nanoseconds) return PCAPNG_NS
    return this.#low === 1 ? PCAPNG_US : undefined
  }

  /** The top bit selects a power of two instead of ten. */
  #resolution(value: number): void {
    const unit =
      value & 0x80 ? 1e6 / 2 ** (value & 0x7f) : value <= 6 ? 10 ** (6 - value) : 1 / 10 ** (value - 6)
    this.#low = unit
    this.#high = TWO_32 * unit
    this.#nanoseconds = value === 9
  }
}
