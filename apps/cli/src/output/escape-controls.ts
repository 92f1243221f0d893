/**
 * DEL and the C1 controls, which JSON leaves as they are, and which begin escape sequences on some terminals: U+009B is
 * the same as ESC [. Inside a string of JSON the escape means the same character.
 */
const CONTROLS = /[\u007f-\u009f]/g

export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u00${control.charCodeAt(0).toString(16)}`)
}

/** The same for UTF-8 that comes in pieces: a character may be cut between two of them. */
export class ByteEscaper {
  #carry: Uint8Array = new Uint8Array(0)

  escape(bytes: Uint8Array): Uint8Array {
    const all = this.#carry.length > 0 ? Buffer.concat([this.#carry, bytes]) : bytes
    // Only the first byte of a C1 control, 0xC2, can be cut off from the rest of it.
    const end = all.at(-1) === 0xc2 ? all.length - 1 : all.length
    this.#carry = all.slice(end)
    const whole = all.subarray(0, end)
    if (!whole.some((byte, at) => byte === 0x7f || (byte === 0xc2 && whole[at + 1]! < 0xa0))) return whole
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('latin1')
    const escaped = text.replace(/\u007f|\u00c2([\u0080-\u009f])/g, (del, control: string = del) =>
      escapeControls(control),
    )
    return Buffer.from(escaped, 'latin1')
  }
}
