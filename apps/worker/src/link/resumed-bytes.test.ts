import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { ResumedBytes } from './resumed-bytes.ts'

const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at % 251)
const sha256 = (part: Uint8Array) => createHash('sha256').update(part).digest('hex')

function resume(of: Uint8Array, from?: { readonly offset: number; readonly sha256: string }) {
  const resumed = new ResumedBytes(from)
  const sent: Uint8Array[] = []
  for (let at = 0; at < of.length; at += 97) sent.push(resumed.next(of.subarray(at, at + 97)))
  return { sent: Buffer.concat(sent), sum: resumed.end() }
}

it('gives what comes after any checkpoint, and the checksum of all', () => {
  expect(resume(bytes)).toEqual({ sent: Buffer.from(bytes), sum: sha256(bytes) })
  for (let offset = 0; offset <= bytes.length; offset++) {
    const { sent, sum } = resume(bytes, { offset, sha256: sha256(bytes.subarray(0, offset)) })
    expect(sent.equals(bytes.subarray(offset))).toBe(true)
    expect(sum).toBe(sha256(bytes))
  }
})

it('refuses to continue where the bytes before are others, or fewer', () => {
  const from = { offset: 500, sha256: sha256(bytes.subarray(0, 500)) }
  const other = bytes.slice()
  other[499]! ^= 1
  expect(() => resume(other, from)).toThrow('changed since')
  expect(() => resume(bytes.subarray(0, 499), from)).toThrow('changed since')
})
