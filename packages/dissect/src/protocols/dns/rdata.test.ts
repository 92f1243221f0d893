import { describe, expect, it } from 'vitest'
import { readData } from './rdata.ts'

const data = (type: number, ...bytes: readonly number[]) =>
  readData(type, { bytes: Uint8Array.from(bytes), start: 0, at: 0, end: bytes.length })

describe('record data', () => {
  it.each([
    ['A', 1, [10, 0, 0, 1], '10.0.0.1'],
    ['AAAA', 28, [0xfd, ...Array(14).fill(0), 1], 'fd00::1'],
    ['MX', 15, [0, 10, 1, 0x61, 0], '10 a'],
    ['TXT of one string', 16, [2, 0x68, 0x69], 'hi'],
    ['TXT of several', 16, [1, 0x61, 1, 0x62], '"a" "b"'],
    ['CAA', 257, [0, 5, 0x69, 0x73, 0x73, 0x75, 0x65, 0x61], '0 issue "a"'],
    ['HTTPS with an unknown key', 65, [0, 1, 0, 0, 9, 0, 1, 255], '1 . key9=/w=='],
    ['NSEC', 47, [1, 0x61, 0, 0, 1, 0x40, 1, 1, 0x40], 'a A CAA'],
  ])('%s is shown as people write it', (_, type, bytes, text) => expect(data(type, ...bytes)).toBe(text))

  it('is shown as bytes where its type is unknown or it is broken', () => {
    expect(data(4711, 1, 2)).toBe('\\# 2 0102')
    expect(data(1, 10, 0)).toBe('\\# 2 0a00')
    expect(data(15)).toBe('\\# 0')
  })
})
