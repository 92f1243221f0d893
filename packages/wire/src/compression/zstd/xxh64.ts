/** Primes of XXH64 as two halves. */
const P1_HIGH = 0x9e3779b1
const P1_LOW = 0x85ebca87
const P2_HIGH = 0xc2b2ae3d
const P2_LOW = 0x27d4eb4f
const P1 = [P1_HIGH, P1_LOW] as const
const P2 = [P2_HIGH, P2_LOW] as const
const P3 = [0x165667b1, 0x9e3779f9] as const
const P4 = [0x85ebca77, 0xc2b2ae63] as const
const P5 = [0x27d4eb2f, 0x165667c5] as const
const STRIPE = 32

/** XXH64 with seed 0, of which zstd keeps the lower half. In directions of 32 bits, since big integers are slow. */
export class Xxh64 {
  /** Four sums, each with its higher half before its lower one. */
  readonly #sums = new Int32Array(8)
  readonly #rest = new Uint8Array(STRIPE)
  #held = 0
  #total = 0
  #high = 0
  #low = 0

  constructor() {
    this.reset()
  }

  reset(): void {
    this.#held = 0
    this.#total = 0
    // P1 + P2, P2, 0, -P1.
    this.#sums.set([0x60ea27ee, 0xadc0b5d6, P2_HIGH, P2_LOW, 0, 0, 0x61c8864e, 0x7a143579])
  }

  update(bytes: Uint8Array, start: number, end: number): void {
    this.#total += end - start
    let at = start
    if (this.#held > 0) {
      const take = Math.min(STRIPE - this.#held, end - at)
      this.#rest.set(bytes.subarray(at, at + take), this.#held)
      this.#held += take
      at += take
      if (this.#held < STRIPE) return
      this.#stripes(this.#rest, 0, STRIPE)
      this.#held = 0
    }
    const whole = at + ((end - at) & ~(STRIPE - 1))
    this.#stripes(bytes, at, whole)
    if (whole < end) this.#rest.set(bytes.subarray(whole, end), 0)
    this.#held = end - whole
  }

  /** The lower 32 bits of the sum. */
  low(): number {
    if (this.#total >= STRIPE) this.#merge()
    else this.#set(...P5)
    this.#add(Math.floor(this.#total / 2 ** 32), this.#total | 0)
    this.#tail()
    this.#xorShift(33)
    this.#times(...P2)
    this.#xorShift(29)
    this.#times(...P3)
    this.#xorShift(32)
    return this.#low >>> 0
  }

  /** The hot part: written out, all of it in whole numbers of 32 bits. */
  #stripes(bytes: Uint8Array, start: number, end: number): void {
    const sums = this.#sums
    for (let at = start; at < end; at += 8) {
      const lane = ((at - start) >> 2) & 6
      const low = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
      const high = bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24)
      // sum += value * P2
      const before = sums[lane + 1]
      const sumLow = (before + Math.imul(low, P2_LOW)) | 0
      const carry = sumLow >>> 0 < before >>> 0 ? 1 : 0
      const product = (Math.imul(high, P2_LOW) + Math.imul(low, P2_HIGH) + upper(low, P2_LOW)) | 0
      const sumHigh = (sums[lane] + product + carry) | 0
      // sum = rotate(sum, 31) * P1
      const turnedHigh = (sumHigh << 31) | (sumLow >>> 1)
      const turnedLow = (sumLow << 31) | (sumHigh >>> 1)
      sums[lane] = Math.imul(turnedHigh, P1_LOW) + Math.imul(turnedLow, P1_HIGH) + upper(turnedLow, P1_LOW)
      sums[lane + 1] = Math.imul(turnedLow, P1_LOW)
    }
  }

  #merge(): void {
    const sums = this.#sums
    let high = 0
    let low = 0
    for (const [lane, turn] of [
      [0, 1],
      [2, 7],
      [4, 12],
      [6, 18],
    ]) {
      this.#set(sums[lane], sums[lane + 1])
      this.#rotate(turn)
      this.#add(high, low)
      high = this.#high
      low = this.#low
    }
    for (let lane = 0; lane < 8; lane += 2) {
      this.#round(sums[lane], sums[lane + 1])
      this.#low ^= low
      this.#high ^= high
      this.#times(...P1)
      this.#add(...P4)
      high = this.#high
      low = this.#low
    }
  }

  /** One value of eight bytes by itself. */
  #round(high: number, low: number): void {
    this.#set(high, low)
    this.#times(...P2)
    this.#rotate(31)
    this.#times(...P1)
  }

  #tail(): void {
    const rest = this.#rest
    const word = (at: number) => rest[at] | (rest[at + 1] << 8) | (rest[at + 2] << 16) | (rest[at + 3] << 24)
    let at = 0
    for (; at + 8 <= this.#held; at += 8) {
      const high = this.#high
      const low = this.#low
      this.#round(word(at + 4), word(at))
      this.#high ^= high
      this.#low ^= low
      this.#rotate(27)
      this.#times(...P1)
      this.#add(...P4)
    }
    if (at + 4 <= this.#held) {
      this.#mix(word(at), P1)
      this.#rotate(23)
      this.#times(...P2)
      this.#add(...P3)
      at += 4
    }
    for (; at < this.#held; at++) {
      this.#mix(rest[at], P5)
      this.#rotate(11)
      this.#times(...P1)
    }
  }

  /** Exclusive or with a product. */
  #mix(value: number, prime: readonly [number, number]): void {
    const high = this.#high
    const low = this.#low
    this.#set(0, value)
    this.#times(...prime)
    this.#high ^= high
    this.#low ^= low
  }

  #set(high: number, low: number): void {
    this.#high = high | 0
    this.#low = low | 0
  }

  #add(high: number, low: number): void {
    const sum = (this.#low >>> 0) + (low >>> 0)
    this.#low = sum | 0
    this.#high = (this.#high + high + (sum >= 2 ** 32 ? 1 : 0)) | 0
  }

  #times(high: number, low: number): void {
    const a = this.#low
    this.#high = (Math.imul(this.#high, low) + Math.imul(a, high) + upper(a, low)) | 0
    this.#low = Math.imul(a, low)
  }

  #rotate(count: number): void {
    const high = this.#high
    const low = this.#low
    this.#high = (high << count) | (low >>> (32 - count))
    this.#low = (low << count) | (high >>> (32 - count))
  }

  #xorShift(count: number): void {
    if (count >= 32) {
      this.#low ^= this.#high >>> (count - 32)
      return
    }
    this.#low ^= (this.#low >>> count) | (this.#high << (32 - count))
    this.#high ^= this.#high >>> count
  }
}

/** The upper half of the product of two numbers of 32 bits, both without a sign. */
function upper(a: number, b: number): number {
  const low = Math.imul(a & 0xffff, b & 0xffff) >>> 16
  const one = Math.imul(a & 0xffff, b >>> 16)
  const other = Math.imul(a >>> 16, b & 0xffff)
  const middle = low + (one & 0xffff) + (other & 0xffff)
  return (Math.imul(a >>> 16, b >>> 16) + (one >>> 16) + (other >>> 16) + (middle >>> 16)) | 0
}
