import { type QuicCipher, SAMPLE_LENGTH } from './quic-cipher.ts'

/** The longest packet number: the sample is taken behind where it could end. */
const MAX_NUMBER_LENGTH = 4
const LONG_HEADER = 0x80
const KEY_PHASE = 0x04
/**
 * Packets in a row that no key opens, before key updates are not searched any more. Any host can send such packets, so the present key is
 * always tried: a forged packet costs about as much as a good one, and does not close the connection.
 */
const MAX_SEARCHES = 64
/** Key updates that may have been missed. */
const MAX_MISSED_UPDATES = 3

/** Where a packet is in its datagram. */
export interface PacketPlace {
  readonly start: number
  /** Where the packet number is. */
  readonly number: number
  readonly end: number
}

/** Opens the packets of one direction and one packet number space: RFC 9001 §5 and §6. */
export class PacketOpener {
  #cipher: QuicCipher
  #previous: QuicCipher | undefined
  #following: QuicCipher | undefined
  #phase = 0
  /** The first packet number under the present key. */
  #phaseBegan = 0
  #largest = -1
  #failures = 0
  opened = 0

  constructor(cipher: QuicCipher) {
    this.#cipher = cipher
  }

  /** The frames of a packet; undefined if no key opens it. */
  open(bytes: Uint8Array, { start, number: numberAt, end }: PacketPlace): Uint8Array | undefined {
    const sampleAt = numberAt + MAX_NUMBER_LENGTH
    if (sampleAt + SAMPLE_LENGTH > end) return undefined
    const mask = this.#cipher.mask(bytes.subarray(sampleAt, sampleAt + SAMPLE_LENGTH))
    const isLong = bytes[start] >= LONG_HEADER
    const first = bytes[start] ^ (mask[0] & (isLong ? 0x0f : 0x1f))
    const length = (first & 3) + 1
    const header = Uint8Array.from(bytes.subarray(start, numberAt + length))
    header[0] = first
    let truncated = 0
    for (let i = 0; i < length; i++) {
      const at = numberAt - start + i
      header[at] = header[at] ^ mask[1 + i]
      truncated = truncated * 256 + header[at]
    }
    const number = fullNumber(this.#largest, truncated, length)
    const sealed = bytes.subarray(numberAt + length, end)
    const phase = isLong || (first & KEY_PHASE) === 0 ? 0 : 1
    const payload = isLong
      ? this.#cipher.open(header, number, sealed)
      : this.#openPhase(phase, header, number, sealed)
    if (payload === undefined) {
      this.#failures++
      return undefined
    }
    this.#failures = 0
    this.opened++
    this.#largest = Math.max(this.#largest, number)
    return payload
  }

  #openPhase(phase: number, header: Uint8Array, number: number, sealed: Uint8Array): Uint8Array | undefined {
    if (phase === this.#phase) {
      const payload = this.#cipher.open(header, number, sealed)
      if (payload !== undefined) return payload
    } else if (number < this.#phaseBegan) return this.#previous?.open(header, number, sealed)
    return this.#openUpdated(phase, header, number, sealed)
  }

  /** The key was updated, perhaps several times in packets that are not in the capture. */
  #openUpdated(
    phase: number,
    header: Uint8Array,
    number: number,
    sealed: Uint8Array,
  ): Uint8Array | undefined {
    let before = this.#cipher
    this.#following ??= before.next()
    let cipher = this.#following
    let its = this.#phase ^ 1
    const updates = this.#failures < MAX_SEARCHES ? MAX_MISSED_UPDATES : 0
    for (let missed = 0; missed <= updates; missed++) {
      const payload = its === phase ? cipher.open(header, number, sealed) : undefined
      if (payload !== undefined) {
        this.#previous = before
        this.#cipher = cipher
        this.#following = undefined
        this.#phase = phase
        this.#phaseBegan = number
        return payload
      }
      before = cipher
      cipher = cipher.next()
      its ^= 1
    }
    return undefined
  }
}

/** RFC 9000 §A.3: the number next to the expected one that ends in these bytes. */
function fullNumber(largest: number, truncated: number, length: number): number {
  const expected = largest + 1
  const window = 2 ** (8 * length)
  const candidate = expected - (expected % window) + truncated
  if (candidate <= expected - window / 2 && candidate < 2 ** 62 - window) return candidate + window
  return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate
}
