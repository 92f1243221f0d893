import { describe, expect, it } from 'vitest'
import { readBinary, valueEnd } from './value.ts'

const shown = (type: number, unsigned: boolean, ...bytes: number[]) => {
  const data = Uint8Array.from(bytes)
  expect(valueEnd(data, 0, data.length, type)).toBe(data.length)
  expect(valueEnd(data, 0, data.length - 1, type)).toBe(-1)
  return readBinary(data, 0, data.length, type, unsigned)
}

describe('a binary value', () => {
  it.each([
    [1, false, [255], '-1'],
    [1, true, [255], '255'],
    [2, false, [254, 255], '-2'],
    [3, true, [255, 255, 255, 255], '4294967295'],
    [8, false, [255, 255, 255, 255, 255, 255, 255, 255], '-1'],
    [8, true, [255, 255, 255, 255, 255, 255, 255, 255], '18446744073709551615'],
    [4, false, [0, 0, 0x90, 0x40], '4.5'],
    [5, false, [0, 0, 0, 0, 0, 0, 0x12, 0x40], '4.5'],
    [12, false, [4, 0xe8, 7, 2, 29], '2024-02-29'],
    [12, false, [11, 0xe8, 7, 2, 29, 13, 5, 9, 7, 0, 0, 0], '2024-02-29 13:05:09.000007'],
    [11, false, [8, 1, 1, 0, 0, 0, 2, 3, 4], '-26:03:04'],
    [0xfd, false, [2, 0xc3, 0xa4], 'ä'],
    [0xfc, false, [2, 0xff, 0], '0xff00'],
  ] as const)('of type %d (unsigned %s) %j is %s', (type, unsigned, bytes, expected) =>
    expect(shown(type, unsigned, ...bytes)).toBe(expected),
  )
})
