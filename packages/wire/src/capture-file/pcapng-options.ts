import { u16 } from './byte-order.ts'

const END_OF_OPTIONS = 0

/** Calls `option` for each option in `data[at, end)`; stops quietly where the list is damaged. */
export function eachOption(
  data: Uint8Array,
  start: number,
  end: number,
  little: boolean,
  option: (code: number, at: number, length: number) => void,
): void {
  let at = start
  while (end - at >= 4) {
    const code = u16(data, at, little)
    const length = u16(data, at + 2, little)
    if (code === END_OF_OPTIONS || at + 4 + length > end) return
    option(code, at + 4, length)
    at += 4 + length + (-length & 3)
  }
}
