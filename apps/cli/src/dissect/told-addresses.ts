import { isIP } from 'node:net'
import { parseAddress } from '@tapdeck/wire'

/** What `Buffer.write` calls: it spares a `Buffer`. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, at: number): number
}

/** Where things stand in the record of an address; behind them its bytes, and those of the name. */
const TIME = 0
const FLOW = 8
const TTL = 16
const NAME_LENGTH = 20
const ADDRESS_LENGTH = 22
const FIXED = 23
/** The name of the record before. None is so long: it has 255 bytes, of which each is up to four characters. */
const SAME = 0xffff
/** A character has three bytes at most. */
const WIDEST = 3

export type AddressKey = number | string

/** Addresses that DNS told, as bytes: there may be as many as answers, and few of them are anybody's end. */
export class ToldAddresses {
  #bytes = new Uint8Array(1 << 12)
  #view = new DataView(this.#bytes.buffer)
  #at = 0
  #name: string | undefined

  /** In bytes. */
  get size(): number {
    return this.#at
  }

  /** `name` was told to be at `from[start, end)`, at `time` in milliseconds, for `ttl` seconds. */
  add(
    name: string,
    from: Uint8Array,
    start: number,
    end: number,
    time: number,
    flow: number,
    ttl: number,
  ): void {
    const length = end - start
    this.#reserve(FIXED + length + name.length * WIDEST)
    const view = this.#view
    const at = this.#at
    view.setFloat64(at + TIME, time, true)
    view.setFloat64(at + FLOW, flow, true)
    view.setUint32(at + TTL, ttl, true)
    this.#bytes[at + ADDRESS_LENGTH] = length
    const address = at + FIXED
    for (let i = 0; i < length; i++) this.#bytes[address + i] = from[start + i]!
    this.#at = address + length
    const isSame = name === this.#name
    const written = isSame ? 0 : utf8Write.call(this.#bytes, name, this.#at)
    view.setUint16(at + NAME_LENGTH, isSame ? SAME : written, true)
    this.#at += written
    this.#name = name
  }

  /** All of them; then there are none. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#at)
    this.#at = 0
    this.#name = undefined
    return taken
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more))
    grown.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }
}

/** Goes through what `ToldAddresses` wrote, one after the other. */
export class ToldAddressReader {
  time = 0
  flow = 0
  ttl = 0
  readonly #bytes: Buffer
  #at = 0
  #address = 0
  #addressEnd = 0
  #name = 0
  #nameEnd = 0

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
  }

  /** False where there is no more. */
  next(): boolean {
    const bytes = this.#bytes
    const at = this.#at
    if (at === bytes.length) return false
    this.time = bytes.readDoubleLE(at + TIME)
    this.flow = bytes.readDoubleLE(at + FLOW)
    this.ttl = bytes.readUInt32LE(at + TTL)
    this.#address = at + FIXED
    this.#addressEnd = this.#address + bytes[at + ADDRESS_LENGTH]!
    this.#at = this.#addressEnd
    const length = bytes.readUInt16LE(at + NAME_LENGTH)
    if (length !== SAME) {
      this.#name = this.#addressEnd
      this.#nameEnd = this.#addressEnd + length
      this.#at = this.#nameEnd
    }
    return true
  }

  /** The address, to look it up by: of IPv4 a number, of IPv6 its bytes. */
  get key(): AddressKey {
    return keyOf(this.#bytes, this.#address, this.#addressEnd)
  }

  get name(): string {
    return this.#bytes.toString('utf8', this.#name, this.#nameEnd)
  }
}

/** The key of an address that is written as text; undefined where it is none. */
export function addressKey(ip: string): AddressKey | undefined {
  if (isIP(ip) === 0 || ip.includes('%')) return undefined
  const bytes = Buffer.from(parseAddress(ip))
  return keyOf(bytes, 0, bytes.length)
}

function keyOf(bytes: Buffer, start: number, end: number): AddressKey {
  return end - start === 4 ? bytes.readUInt32BE(start) : bytes.toString('latin1', start, end)
}
