import { Malformed } from '@tapdeck/wire'
import { HEADER } from './frame.ts'
import { skipName } from './name.ts'
import { TYPE } from './names.ts'

/**
 * A zone on its way: it begins and ends with the same SOA record (RFC 5936 §2.2). An incremental one (RFC 1995 §4)
 * has others in between, which differ in their serial, and one that is up to date is that one record.
 */
export class Transfer {
  messages = 0
  readonly #incremental: boolean
  #records = 0
  #serial = -1

  constructor(incremental: boolean) {
    this.#incremental = incremental
  }

  /** Reads one message of it; true while more must follow. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    this.messages++
    const answers = (bytes[start + 6] << 8) | bytes[start + 7]
    const rcode = bytes[start + 3] & 15
    if (answers === 0 || rcode !== 0) return false
    let last = -1
    try {
      let at = start + HEADER
      for (let i = (bytes[start + 4] << 8) | bytes[start + 5]; i > 0; i--) at = skipName(bytes, at, end) + 4
      for (let i = 0; i < answers; i++) {
        at = skipName(bytes, at, end)
        if (at + 10 > end) return false
        const type = (bytes[at] << 8) | bytes[at + 1]
        const data = at + 10
        at = data + ((bytes[at + 8] << 8) | bytes[at + 9])
        last = type === TYPE.SOA ? serial(bytes, data, Math.min(at, end)) : -1
        if (this.#records++ === 0) this.#serial = last
      }
    } catch (error) {
      if (error instanceof Malformed) return false
      throw error
    }
    if (this.#records === 1) return this.#serial >= 0 && !this.#incremental
    return this.#serial >= 0 && last !== this.#serial
  }
}

function serial(bytes: Uint8Array, at: number, end: number): number {
  const place = skipName(bytes, skipName(bytes, at, end), end)
  if (place + 4 > end) throw new Malformed('record cut short')
  return ((bytes[place] << 24) | (bytes[place + 1] << 16) | (bytes[place + 2] << 8) | bytes[place + 3]) >>> 0
}
