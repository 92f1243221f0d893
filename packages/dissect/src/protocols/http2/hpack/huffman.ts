import { Malformed } from '@tapdeck/wire'

/**
 * RFC 7541 Appendix B. The code is canonical: codes of one length are numbered in the order of their symbols, and
 * longer ones go on where shorter ones ended; so the lengths say it all. 256 is the end of the string.
 */
const SYMBOLS: readonly (readonly [bits: number, symbols: string | readonly number[]])[] = [
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, '\\\u00c3\u00d0'],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [
    22,
    [
      129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190,
      196, 198, 228, 232, 233,
    ],
  ],
  [
    23,
    [
      1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175,
      180, 182, 183, 188, 191, 197, 231, 239,
    ],
  ],
  [24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]],
  [25, [199, 207, 234, 235]],
  [26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]],
  [27, [203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250, 251, 252, 253, 254]],
  [
    28,
    [
      2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127,
      220, 249,
    ],
  ],
  [30, [10, 13, 22, 256]],
]

const LEAF = 0x1000
const END_OF_STRING = 256
/** Bits of a step: the state after it, up to two symbols, how many, and whether it is impossible. */
const ONE = 1 << 24
const TWO = 2 << 24
const IMPOSSIBLE = 1 << 26

/** The code as a tree of 256 inner nodes: `tree[2 * node + bit]` is the next node, or a symbol with `LEAF`. */
const tree = makeTree()
/**
 * What a whole byte does in a state, which is the inner node where the byte before it ended. Filled when the first string
 * comes: it takes longer than all else that is made when a program starts, and most have no use for it.
 */
const steps = new Int32Array(256 * 256)
let isFilled = false
/** States in which a string may end: only ones, fewer than eight of them, since the last symbol. */
const mayEnd = makeMayEnd()

/**
 * Decodes `bytes[start, end)` into `into` at `at`, with control characters as spaces so that no value can pretend to
 * be another line. Returns where it ended; `into` must have room for 8 / 5 of the length, and two bytes.
 */
export function decodeHuffman(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Uint8Array,
  at: number,
): number {
  if (!isFilled) fillSteps()
  let state = 0
  let to = at
  for (let i = start; i < end; i++) {
    const step = steps[(state << 8) | bytes[i]]
    if (step >= ONE) {
      if (step >= IMPOSSIBLE) throw new Malformed('end of string inside a Huffman code')
      into[to++] = (step >> 8) & 0xff
      if (step >= TWO) into[to++] = (step >> 16) & 0xff
    }
    state = step & 0xff
  }
  if (mayEnd[state] === 0) throw new Malformed('Huffman code cut short')
  return to
}

function makeTree(): Int32Array {
  const nodes = new Int32Array(512)
  let used = 1
  let code = 0
  let length = 0
  for (const [bits, symbols] of SYMBOLS) {
    code <<= bits - length
    length = bits
    for (const symbol of typeof symbols === 'string' ? codesOf(symbols) : symbols) {
      let node = 0
      for (let bit = bits - 1; bit > 0; bit--) {
        const at = 2 * node + ((code >> bit) & 1)
        if (nodes[at] === 0) nodes[at] = used++
        node = nodes[at]
      }
      nodes[2 * node + (code & 1)] = LEAF | symbol
      code++
    }
  }
  return nodes
}

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}

function fillSteps(): void {
  for (let state = 0; state < 256; state++)
    for (let byte = 0; byte < 256; byte++) steps[(state << 8) | byte] = step(state, byte)
  isFilled = true
}

function step(from: number, byte: number): number {
  let node = from
  let count = 0
  let symbols = 0
  for (let bit = 7; bit >= 0; bit--) {
    const next = tree[2 * node + ((byte >> bit) & 1)]
    node = next
    if (next < LEAF) continue
    const symbol = next - LEAF
    if (symbol === END_OF_STRING) return IMPOSSIBLE
    symbols |= Math.max(symbol, 0x20) << (8 + 8 * count++)
    node = 0
  }
  return node | symbols | (count << 24)
}

function makeMayEnd(): Uint8Array {
  const states = new Uint8Array(256)
  let node = 0
  for (let ones = 0; ones < 8; ones++) {
    states[node] = 1
    node = tree[2 * node + 1]
  }
  return states
}
