import { ByteReader, ByteWriter } from '@tapdeck/dissect'
import { parseIp } from '@tapdeck/ip'

const text = new TextDecoder('utf-8', { ignoreBOM: true })

export type AddressKey = number | string

/** Addresses of DNS answers, as bytes: there may be many, and few of them are an end of a call. */
export class DnsAnswers {
  readonly #writer = new ByteWriter()
  #name: string | undefined

  /** In bytes. */
  get size(): number {
    return this.#writer.length
  }

  /** `name` has the address, answered at `time` in milliseconds, for `ttl` seconds. */
  add(name: string, address: Uint8Array, time: number, flow: number, ttl: number): void {
    const writer = this.#writer
    writer.double(time)
    writer.double(flow)
    writer.varint(ttl)
    writer.bytes(address)
    const isSame = name === this.#name
    writer.byte(isSame ? 1 : 0)
    if (!isSame) writer.text(name)
    this.#name = name
  }

  /** All of them; then there are none. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#writer.written().slice()
    this.#writer.cut(0)
    this.#name = undefined
    return taken
  }
}

/** Goes through what `DnsAnswers` wrote, one after the other. */
export class DnsAnswerReader {
  time = 0
  flow = 0
  ttl = 0
  readonly #reader: ByteReader
  #address: Uint8Array = new Uint8Array(0)
  #name: Uint8Array = new Uint8Array(0)

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
  }

  /** False where there is no more. */
  next(): boolean {
    const reader = this.#reader
    if (reader.left === 0) return false
    this.time = reader.double()
    this.flow = reader.double()
    this.ttl = reader.varint()
    this.#address = reader.bytes()
    const isSame = reader.byte() === 1
    if (!isSame) this.#name = reader.bytes()
    return true
  }

  /** The address, to look it up by: of IPv4 a number, of IPv6 its bytes. */
  get key(): AddressKey {
    return keyOf(this.#address)
  }

  get name(): string {
    return text.decode(this.#name)
  }
}

/** The key of an address that is written as text; undefined where it is none. */
export function addressKey(ip: string): AddressKey | undefined {
  const bytes = parseIp(ip)
  return bytes && keyOf(bytes)
}

function keyOf(bytes: Uint8Array): AddressKey {
  if (bytes.length !== 4) return String.fromCharCode(...bytes)
  return ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> 0
}
