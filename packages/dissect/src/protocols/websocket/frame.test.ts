import { describe, expect, it } from 'vitest'
import { FrameHeader, resync } from './frame.ts'

const read = (bytes: readonly number[], side: 0 | 1 = 1, extended = false) => {
  const header = new FrameHeader()
  const wrong = header.read(Uint8Array.from(bytes), 0, bytes.length, side, extended)
  return wrong ?? header
}

describe('a frame header', () => {
  it('has a length of one, two or eight bytes', () => {
    expect(read([0x81, 5])).toMatchObject({ size: 2, payload: 5, final: true, opcode: 1 })
    expect(read([0x02, 126, 1, 0])).toMatchObject({ size: 4, payload: 256, final: false, opcode: 2 })
    expect(read([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0])).toMatchObject({ size: 10, payload: 2 ** 32 })
    expect(read([0x81, 0x85], 0)).toMatchObject({ size: 6, payload: 5, masked: true })
  })

  it('is waited for', () => {
    for (const cut of [[0x81], [0x81, 126], [0x81, 126, 1], [0x82, 127, 0, 0, 0]])
      expect(read(cut)).toMatchObject({ size: 0 })
  })

  it.each([
    ['an unknown opcode', [0x83, 0], 1],
    ['a reserved bit that means nothing', [0xc1, 0], 1],
    ['a client that does not mask', [0x81, 0], 0],
    ['a server that masks', [0x81, 0x80], 1],
    ['a control frame that is too long', [0x89, 126, 0, 200], 1],
    ['a control frame in pieces', [0x09, 0], 1],
    ['a length beyond all bounds', [0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 0], 1],
  ] as const)('is refused: %s', (_, bytes, side) => {
    expect(read(bytes, side)).toBeTypeOf('string')
  })

  it('is found again where frame leads to frame', () => {
    const bytes = Uint8Array.of(0x55, 0xaa, 0x81, 0x33, 0x81, 2, 65, 66, 0x89, 0, 0x82, 1, 9)
    expect(resync(bytes, 0, bytes.length, 1, false)).toBe(4)
    expect(resync(bytes, 0, 4, 1, false)).toBe(-1)
  })
})
