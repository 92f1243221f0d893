import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Connection } from '../../contract/dissector.ts'
import { Inflation } from './inflation.ts'

let taken = 0
const connection = {
  budget: {
    take: (bytes: number) => {
      taken += bytes
      return taken <= 100_000
    },
    give: (bytes: number) => {
      taken -= bytes
    },
  },
} as Connection

const text = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString()
/** As senders do it (RFC 7692 §7.2.1), with the text before it as a dictionary. */
const deflate = (said: string, before?: string) =>
  deflateRawSync(
    said,
    before === undefined ? { finishFlush: 2 } : { finishFlush: 2, dictionary: Buffer.from(before) },
  ).subarray(0, -4)

describe('inflation', () => {
  it('carries over what was said before', () => {
    taken = 0
    const inflation = new Inflation(connection, true)
    const first = 'tea and cups and a kettle'
    expect(text(inflation.inflate(deflate(first), true))).toBe(first)
    expect(text(inflation.inflate(deflate(`${first}!`, first), true))).toBe(`${first}!`)
  })

  it('is over where a message is missing, and holds nothing then', () => {
    taken = 0
    const inflation = new Inflation(connection, true)
    inflation.lose()
    expect(inflation.inflate(deflate('tea'), true)).toBeUndefined()
    expect(taken).toBe(0)
  })

  it('misses nothing where nothing is carried over', () => {
    taken = 0
    const inflation = new Inflation(connection, false)
    inflation.lose()
    expect(text(inflation.inflate(deflate('tea'), true))).toBe('tea')
    expect(taken).toBe(0)
  })

  it('gives what there is of a message that was cut', () => {
    const said = Array.from({ length: 2000 }, (_, index) => `cup ${index}`).join(', ')
    const packed = deflate(said)
    const part = text(new Inflation(connection, false).inflate(packed.subarray(0, packed.length / 2), false))
    expect(part?.length).toBeGreaterThan(100)
    expect(said.startsWith(part ?? '?')).toBe(true)
  })

  it('does not unfold without bounds', () => {
    const bomb = deflate('x'.repeat(5_000_000))
    expect(new Inflation(connection, false).inflate(bomb, true)).toBeUndefined()
  })
})
