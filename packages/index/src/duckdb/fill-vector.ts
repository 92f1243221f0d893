// biome-ignore-all lint/complexity/useLiteralKeys: private to TypeScript, reached on purpose; see below.
import {
  DuckDBBigIntVector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBUSmallIntVector,
  DuckDBUTinyIntVector,
  DuckDBVarCharVector,
  type DuckDBVector,
} from '@duckdb/node-api'
import type { ColumnKind } from './column-kind.ts'

type Values = Float64Array | Int32Array | Uint16Array | Uint8Array | readonly string[]

/**
 * Copies a whole column into a vector of the database. The vectors' own arrays are reached by name, because their
 * public way in takes one checked value at a time, with bigints for 64 bits and for each NULL: several times the cost
 * of the row itself. The database's package is pinned to one version for this.
 */
export function fillVector(vector: DuckDBVector, kind: ColumnKind, values: Values, count: number): void {
  if (vector instanceof DuckDBBigIntVector && values instanceof Float64Array) {
    spread(values, vector['items'], count)
    vector['validity']['data'] = nans(values, count)
  } else if (vector instanceof DuckDBDoubleVector && values instanceof Float64Array) {
    vector['items'].set(values.subarray(0, count))
    vector['validity']['data'] = nans(values, count)
  } else if (vector instanceof DuckDBIntegerVector && values instanceof Int32Array) {
    vector['items'].set(values.subarray(0, count))
    if (kind === 'reference') vector['validity']['data'] = zeros(values, count)
  } else if (vector instanceof DuckDBUSmallIntVector && values instanceof Uint16Array)
    vector['items'].set(values.subarray(0, count))
  else if (vector instanceof DuckDBUTinyIntVector && values instanceof Uint8Array)
    vector['items'].set(values.subarray(0, count))
  else if (vector instanceof DuckDBVarCharVector && Array.isArray(values)) {
    for (let i = 0; i < count; i++) if (values[i] !== '') vector.setItem(i, values[i])
    vector['validity']['data'] = empties(values, count)
  } else throw new Error('A batch does not fit its table.')
  vector.flush()
}

/** Whole numbers below 2^53 as 64-bit integers, by halves. */
function spread(values: Float64Array, into: BigInt64Array, count: number): void {
  const halves = new Int32Array(into.buffer, into.byteOffset, into.length * 2)
  for (let i = 0; i < count; i++) {
    const value = values[i]
    halves[i * 2] = value | 0
    halves[i * 2 + 1] = Math.floor(value / 0x1_0000_0000)
  }
}

// Masks of what is not NULL, a bit each; none where nothing is.

function nans(values: Values, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0; i < count; i++) if (Number.isNaN(values[i])) mask.clear(i)
  return mask.bits
}

function zeros(values: Values, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0; i < count; i++) if (values[i] === 0) mask.clear(i)
  return mask.bits
}

function empties(values: Values, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0; i < count; i++) if (values[i] === '') mask.clear(i)
  return mask.bits
}

class Mask {
  readonly #words: Int32Array
  #cleared = false

  constructor(count: number) {
    this.#words = new Int32Array(Math.ceil(count / 64) * 2).fill(-1)
  }

  get bits(): BigUint64Array | null {
    return this.#cleared ? new BigUint64Array(this.#words.buffer) : null
  }

  clear(index: number): void {
    this.#words[index >> 5] &= ~(1 << (index & 31))
    this.#cleared = true
  }
}
