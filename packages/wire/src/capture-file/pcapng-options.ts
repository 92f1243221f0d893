import { u16 } from './byte-order.ts'

const END_OF_OPTIONS = 0
/** A block has a handful of options. One with millions of empty ones would keep the reader busy for seconds. */
const MAX_OPTIONS = 65_536

/** Calls `option` for each option in `data[at, end)`; stops where the list is damaged or too long. */
export function eachOption(
  data: Uint8Array,
  start: number,
  end: number,
  little: boolean,
  option: (code: number, at: number, length: number) => void,
): void {
  let at = start
  for (let count = 0; count < MAX_OPTIONS && end - at >= 4; count++) {
    const code = u16(data, at, little)
    const length = u16(data, at + 2, little)
    if (code === END_OF_OPTIONS || at + 4 + length > end) return
    option(code, at + 4, length)
    at += 4 + length + (-length & 3)
  }
}
