import { crc32 } from 'node:zlib'

/** Koopman's polynomial and the start that Cassandra gives it. */
const POLYNOMIAL = 0x1974f0b
const START = 0x875060
const TABLE = tableOf()
/** What Cassandra puts before the bytes that it sums up. */
const SEED = crc32(Uint8Array.of(0xfa, 0x2d, 0x55, 0xca))

function tableOf(): Int32Array {
  const table = new Int32Array(256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 16
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1
      if (crc & 0x1000000) crc ^= POLYNOMIAL
    }
    table[byte] = crc
  }
  return table
}

/** Of the header of a segment: §2 of version 5. */
export function crc24(bytes: Uint8Array, start: number, end: number): number {
  let crc = START
  for (let i = start; i < end; i++) crc = ((crc << 8) & 0xffffff) ^ TABLE[((crc >> 16) ^ bytes[i]) & 0xff]
  return crc
}

/** Of the payload of a segment. */
export function payloadCrc(bytes: Uint8Array, start: number, end: number): number {
  // Of no bytes at all, Node gives 0 whatever the start.
  return start === end ? SEED : crc32(bytes.subarray(start, end), SEED)
}
