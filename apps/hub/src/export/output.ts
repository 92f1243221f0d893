const FIRST_SIZE = 320 * 1024

/** Bytes on their way out. A piece that was taken belongs to its taker. */
export class Output {
  bytes = new Uint8Array(Buffer.allocUnsafeSlow(FIRST_SIZE).buffer)
  used = 0

  /** Makes sure that so many bytes fit. */
  reserve(more: number): void {
    if (this.used + more <= this.bytes.length) return
    const grown = new Uint8Array(
      Buffer.allocUnsafeSlow(Math.max(this.used + more, this.bytes.length * 2)).buffer,
    )
    grown.set(this.bytes.subarray(0, this.used))
    this.bytes = grown
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.used)
    this.used += bytes.length
  }

  take(): Uint8Array {
    const piece = this.bytes.subarray(0, this.used)
    this.bytes = new Uint8Array(Buffer.allocUnsafeSlow(this.bytes.length).buffer)
    this.used = 0
    return piece
  }
}
