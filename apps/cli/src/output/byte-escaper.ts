import { visibleText } from '@tapdeck/api/visible-text'

/** Escapes what is invisible in UTF-8 that comes in pieces: a character may be cut between two of them. */
export class ByteEscaper {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #isCut = false

  escape(bytes: Uint8Array): Uint8Array {
    if (!this.#isCut && bytes.every((byte) => byte < 0x7f)) return bytes
    this.#isCut = bytes.length > 0 && bytes[bytes.length - 1]! >= 0x80
    return Buffer.from(visibleText(this.#decoder.decode(bytes, { stream: true })))
  }
}
