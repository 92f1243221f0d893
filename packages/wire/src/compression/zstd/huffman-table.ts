import { Malformed } from '../../malformed.ts'
import { BitReader } from './bit-reader.ts'
import { readFseTable } from './fse-table.ts'

const MAX_BITS = 11
const MAX_WEIGHTS = 255
const MAX_WEIGHT_LOG = 6

/** By the next `bits` bits of the stream: the symbol (below 256) and how many of the bits are its own (above). */
export interface HuffmanTable {
  readonly bits: number
  readonly entries: Uint16Array
}

/** Reads the tree that goes before literals (RFC 8878 §4.2.1), and where it ends. */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly table: HuffmanTable; readonly end: number } {
  if (start >= end) throw new Malformed('zstd: no tree')
  const header = bytes[start]
  const size = header < 128 ? header : (header - 126) >> 1
  const stop = start + 1 + size
  if (stop > end) throw new Malformed('zstd: a tree that is cut')
  const weights =
    header < 128 ? packedWeights(bytes, start + 1, stop) : plainWeights(bytes, start + 1, header - 127)
  return { table: tableOf(weights), end: stop }
}

function plainWeights(bytes: Uint8Array, start: number, count: number): number[] {
  const weights: number[] = []
  for (let i = 0; i < count; i++) {
    const byte = bytes[start + (i >> 1)]
    weights.push((i & 1) === 0 ? byte >> 4 : byte & 15)
  }
  return weights
}

/** Two states take turns until the bits are used up. */
function packedWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const { table, end: at } = readFseTable(bytes, start, end, 16, MAX_WEIGHT_LOG)
  const reader = new BitReader()
  reader.open(bytes, at, end)
  const weights: number[] = []
  let state = reader.read(table.log)
  let other = reader.read(table.log)
  if (reader.left < 0) throw new Malformed('zstd: weights that are cut')
  while (weights.length < MAX_WEIGHTS) {
    weights.push(table.symbols[state])
    const next = table.bases[state] + reader.read(table.bits[state])
    if (reader.left < 0) {
      weights.push(table.symbols[other])
      return weights
    }
    state = other
    other = next
  }
  throw new Malformed('zstd: too many weights')
}

/** The weight of the last symbol is not said: it fills up what is left. */
function tableOf(weights: readonly number[]): HuffmanTable {
  let sum = 0
  for (const weight of weights) {
    if (weight > MAX_BITS) throw new Malformed('zstd: a tree that is too deep')
    if (weight > 0) sum += 1 << (weight - 1)
  }
  if (sum === 0) throw new Malformed('zstd: an empty tree')
  const bits = 32 - Math.clz32(sum)
  const left = (1 << bits) - sum
  if (bits > MAX_BITS || (left & (left - 1)) !== 0) throw new Malformed('zstd: a tree that does not add up')
  const all = [...weights, 32 - Math.clz32(left)]
  if (all.length > MAX_WEIGHTS + 1) throw new Malformed('zstd: too many weights')
  const entries = new Uint16Array(1 << bits)
  let at = 0
  for (let weight = 1; weight <= bits; weight++)
    for (let symbol = 0; symbol < all.length; symbol++) {
      if (all[symbol] !== weight) continue
      const span = 1 << (weight - 1)
      entries.fill(symbol | ((bits + 1 - weight) << 8), at, at + span)
      at += span
    }
  if (at !== entries.length) throw new Malformed('zstd: a tree that does not add up')
  return { bits, entries }
}
