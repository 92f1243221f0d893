// biome-ignore-all lint/complexity/useLiteralKeys: private to TypeScript, reached on purpose; see below.

import {
  DuckDBBigIntVector,
  DuckDBBlobValue,
  DuckDBBlobVector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBUSmallIntVector,
  DuckDBUTinyIntVector,
  DuckDBVarCharVector,
  type DuckDBVector,
} from '@duckdb/node-api'
import { ROWS } from './chunk-rows.ts'
import type { ColumnKind } from './column-kind.ts'
import { TextColumn } from './text-column.ts'

type Values = Float64Array | Int32Array | Uint16Array | Uint8Array | TextColumn
type Validity = ConstructorParameters<typeof DuckDBDoubleVector>[1]
type Handle = ConstructorParameters<typeof DuckDBDoubleVector>[2]

/** A vector of the database, and which of its items are NULL: what can be filled again and again. */
export interface FilledVector {
  readonly handle: Handle
  readonly validity: Validity
}

/**
 * The vector that columns are copied into whole. Its handle is reached by name, because the public way in takes one
 * checked value at a time, with bigints for 64 bits and for each NULL: several times the cost of the row itself. The
 * database's package is pinned to one version for this.
 */
export function vectorToFill(vector: DuckDBVector): FilledVector {
  if (!hasHandle(vector)) throw new Error('The vector layout of this DuckDB version is unknown.')
  return { handle: vector.vector, validity: vector.validity }
}

function hasHandle(vector: object): vector is { readonly vector: Handle; readonly validity: Validity } {
  return 'vector' in vector && 'validity' in vector
}

/** Copies a column into its vector. */
export function fillVector(
  { handle, validity }: FilledVector,
  kind: ColumnKind,
  values: Values,
  count: number,
): void {
  validity['data'] = null
  if (values instanceof TextColumn) setTexts(values, handle, validity, count)
  else if (values instanceof Float64Array) {
    validity['data'] = nans(values, count)
    if (kind === 'int64') new DuckDBBigIntVector(spread(values, count), validity, handle).flush()
    else new DuckDBDoubleVector(values.subarray(0, count), validity, handle).flush()
  } else if (values instanceof Int32Array) {
    if (kind === 'reference') validity['data'] = zeros(values, count)
    new DuckDBIntegerVector(values.subarray(0, count), validity, handle).flush()
  } else if (values instanceof Uint16Array)
    new DuckDBUSmallIntVector(values.subarray(0, count), validity, handle).flush()
  else new DuckDBUTinyIntVector(values.subarray(0, count), validity, handle).flush()
}

const wholes = new BigInt64Array(ROWS)
const wholeHalves = new Int32Array(wholes.buffer)

/** Whole numbers below 2^53 as 64-bit integers, by halves. True until it is called again. */
function spread(values: Float64Array, count: number): BigInt64Array {
  for (let i = 0; i < count; i++) {
    const value = values[i]
    wholeHalves[i * 2] = value | 0
    wholeHalves[i * 2 + 1] = Math.floor(value / 0x1_0000_0000)
  }
  return wholes.subarray(0, count)
}

/** A text in a vector: its length; then up to 12 bytes of it, or the first 4 and the address of all. 16 bytes. */
const places = new BigInt64Array(ROWS * 2)
const placeInts = new Int32Array(places.buffer)
const placeBytes = new Uint8Array(places.buffer)
const INLINE = 12

/**
 * One text with all others in it makes the database copy them in one go, into memory that lives as long as the vector;
 * its address is read back, and each text points into it.
 */
function setTexts(texts: TextColumn, handle: Handle, validity: Validity, count: number): void {
  const { bytes, ends } = texts
  let low = 0
  let high = 0
  if (bytes.length > INLINE) {
    const whole = new DuckDBBlobVector(new DataView(places.buffer), validity, handle, 0, 1)
    whole.setItem(0, new DuckDBBlobValue(bytes))
    whole.flush()
    const place = DuckDBVarCharVector.fromRawVector(handle, 1)['dataView']
    low = place.getUint32(8, true)
    high = place.getUint32(12, true)
  }
  placeTexts(bytes, ends, count, low, high)
  validity['data'] = empties(texts, count)
  new DuckDBBigIntVector(places.subarray(0, count * 2), validity, handle).flush()
}

/** Apart from what is around it: a loop is compiled before what follows it was ever run, and given up again there. */
function placeTexts(bytes: Uint8Array, ends: Uint32Array, count: number, low: number, high: number): void {
  for (let i = 0, start = 0; i < count; i++) {
    const end = ends[i]
    const at = i << 4
    placeInts[i << 2] = end - start
    if (end - start > INLINE) {
      for (let k = 0; k < 4; k++) placeBytes[at + 4 + k] = bytes[start + k]
      const address = low + start
      placeInts[(i << 2) + 2] = address
      placeInts[(i << 2) + 3] = address > 0xffff_ffff ? high + 1 : high
    } else {
      let k = at + 4
      while (start < end) placeBytes[k++] = bytes[start++]
      while (k < at + 16) placeBytes[k++] = 0
    }
    start = end
  }
}

// Masks of what is not NULL, a bit each; none where nothing is.

function nans(values: Float64Array, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0; i < count; i++) if (Number.isNaN(values[i])) mask.clear(i)
  return mask.bits
}

function zeros(values: Int32Array, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0; i < count; i++) if (values[i] === 0) mask.clear(i)
  return mask.bits
}

function empties({ ends }: TextColumn, count: number): BigUint64Array | null {
  const mask = new Mask(count)
  for (let i = 0, start = 0; i < count; i++) {
    if (ends[i] === start) mask.clear(i)
    start = ends[i]
  }
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
