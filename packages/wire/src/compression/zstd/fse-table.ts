import { Malformed } from '../../malformed.ts'

/** A decoding table of finite state entropy, RFC 8878 §4.1.1: what a state stands for, and how the next is found. */
export interface FseTable {
  readonly log: number
  readonly symbols: Uint8Array
  readonly bits: Uint8Array
  readonly bases: Uint16Array
}

/** From how often each symbol comes; -1: less than once. */
export function fseTable(counts: readonly number[], log: number): FseTable {
  const size = 1 << log
  const symbols = new Uint8Array(size)
  const next = new Uint16Array(counts.length)
  let high = size
  for (const [symbol, count] of counts.entries()) {
    if (count === -1) {
      symbols[--high] = symbol
      next[symbol] = 1
    } else next[symbol] = count
  }
  const step = (size >> 1) + (size >> 3) + 3
  let at = 0
  for (const [symbol, count] of counts.entries())
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol
      do at = (at + step) & (size - 1)
      while (at >= high)
    }
  if (at !== 0) throw new Malformed('zstd: a table that does not add up')
  const bits = new Uint8Array(size)
  const bases = new Uint16Array(size)
  for (let i = 0; i < size; i++) {
    const state = next[symbols[i]]++
    bits[i] = log - (31 - Math.clz32(state))
    bases[i] = (state << bits[i]) - size
  }
  return { log, symbols, bits, bases }
}

/** A table in which there is only one symbol, which takes no bits. */
export function constantTable(symbol: number): FseTable {
  return { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), bases: new Uint16Array(1) }
}

/** Reads the description of a table in `bytes[start, end)`, and where it ends. */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  mostSymbols: number,
  mostLog: number,
): { readonly table: FseTable; readonly end: number } {
  let bit = start * 8
  const stop = end * 8
  const read = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++, bit++) if (bit < stop) value |= ((bytes[bit >> 3] >> (bit & 7)) & 1) << i
    return value
  }
  const log = read(4) + 5
  if (log > mostLog) throw new Malformed('zstd: a table that is too large')
  const counts: number[] = []
  let left = 1 << log
  while (left > 0 && counts.length < mostSymbols) {
    const width = 32 - Math.clz32(left + 1)
    const low = (1 << (width - 1)) - 1
    const short = (1 << width) - 1 - (left + 1)
    let value = read(width)
    if ((value & low) < short) {
      bit--
      value &= low
    } else if (value > low) value -= short
    const count = value - 1
    left -= Math.abs(count)
    counts.push(count)
    if (count === 0)
      for (let more = 3; more === 3; ) {
        more = read(2)
        for (let i = 0; i < more; i++) counts.push(0)
      }
    if (bit > stop) throw new Malformed('zstd: a table that is cut')
  }
  if (left !== 0 || counts.length > mostSymbols) throw new Malformed('zstd: a table that does not add up')
  return { table: fseTable(counts, log), end: (bit + 7) >> 3 }
}
