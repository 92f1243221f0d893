import { type FseTable, fseTable } from './fse-table.ts'

/** RFC 8878 §3.1.1.3.2.1.1: what each code stands for at least, and how many bits say how much more. */
export const LITERAL_BASES = Uint32Array.of(
  ...[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256,
    512,
  ],
  ...[1024, 2048, 4096, 8192, 16384, 32768, 65536],
)
export const LITERAL_BITS = Uint8Array.of(
  ...[
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15,
  ],
  16,
)
export const MATCH_BASES = Uint32Array.of(
  ...Array.from({ length: 32 }, (_, code) => code + 3),
  ...[35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539],
)
export const MATCH_BITS = Uint8Array.of(
  ...new Array<number>(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
)

/** What the three kinds of codes may amount to, and the tables where none is given (§3.1.1.3.2.2). */
export interface Codes {
  readonly count: number
  readonly log: number
  readonly usual: FseTable
}

export const LITERAL_CODES: Codes = {
  count: 36,
  log: 9,
  usual: fseTable(
    [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
      -1, -1,
    ],
    6,
  ),
}
export const MATCH_CODES: Codes = {
  count: 53,
  log: 9,
  usual: fseTable(
    [1, 4, 3, 2, 2, 2, 2, 2, 2, ...new Array<number>(37).fill(1), -1, -1, -1, -1, -1, -1, -1],
    6,
  ),
}
export const OFFSET_CODES: Codes = {
  count: 32,
  log: 8,
  usual: fseTable(
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    5,
  ),
}
