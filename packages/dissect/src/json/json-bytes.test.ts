import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonBytes } from './json-bytes.ts'
import { jsonFragment } from './json-fragment.ts'

function written(write: (out: JsonBytes) => void): string {
  const out = new JsonBytes(4)
  write(out)
  return new TextDecoder().decode(out.written)
}

describe('JSON as bytes', () => {
  it('equals JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(written((out) => out.value(value))).toBe(JSON.stringify(value))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    '',
    '"\\',
    '\u0000\b\t\n\u000b\f\r\u001b\u007f',
    'ä€😀',
    '\ud800',
    'x\udc00y',
    `${'long '.repeat(30)}"`,
  ])('escapes %j as JSON.stringify does, short or long', (text) => {
    for (const value of [text, 'plain '.repeat(20) + text])
      expect(written((out) => out.string(value))).toBe(JSON.stringify(value))
  })

  it.each([0, -0, 1, 9, 10, 4294967295, 4294967296, 2 ** 53 - 1, 2 ** 53, -1, 0.1, 1e21, 1e-7, Number.NaN])(
    'writes the number %d',
    (value) => {
      expect(written((out) => out.number(value))).toBe(JSON.stringify(value))
    },
  )

  it('writes microseconds as milliseconds', () => {
    const times = fc.oneof(fc.integer({ min: 0, max: 4e15 }), fc.double({ noNaN: true }), fc.nat(10_000))
    fc.assert(
      fc.property(times, (micros) => {
        expect(written((out) => out.milliseconds(micros))).toBe(JSON.stringify(micros / 1000))
      }),
      { numRuns: 2000 },
    )
    expect(written((out) => out.milliseconds(1_700_000_000_071_940))).toBe('1700000000071.94')
  })

  it('writes bytes that are text, and refuses others', () => {
    const text = (...bytes: number[]) =>
      written((out) => {
        if (!out.text(Uint8Array.from(bytes))) out.string('no text')
      })
    expect(text(0x22, 0x1b, 0xc3, 0xa4)).toBe('"\\"\\u001bä"')
    expect(text(0x61, 0xc3)).toBe('"no text"')
    expect(text(0x61, 0)).toBe('"no text"')
  })

  it('writes long text in pieces, also if a character spans two pieces', () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `${'x'.repeat(16_383 - shift)}€ "quoted" \\ ${'ä"'.repeat(9000)}`
      const string = `${text}${'\u0001'.repeat(shift)}${'😀"'.repeat(9000)}`
      expect(written((out) => out.string(string))).toBe(JSON.stringify(string))
      expect(written((out) => void out.text(Buffer.from(text)))).toBe(JSON.stringify(text))
    }
  })

  it('omits members without a value, and closes empty objects', () => {
    const object = (value: unknown) =>
      written((out) => {
        const start = out.at
        out.member(jsonFragment(',"a":'), value)
        out.close(start)
      })
    expect(object(undefined)).toBe('{}')
    expect(object([undefined, { b: undefined }])).toBe('{"a":[null,{}]}')
  })
})
