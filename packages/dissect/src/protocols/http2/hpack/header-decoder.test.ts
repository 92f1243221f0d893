import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Malformed } from '@tapdeck/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyOf } from '../../../memory/arena.ts'
import { latin1 } from '../../../text/text.ts'
import { HeaderDecoder } from './header-decoder.ts'

const connection = { budget: { take: () => true, give: () => undefined }, copy: copyOf }
const stories = new URL('../../../../../../../shared/captures/hpack/', import.meta.url)

interface Story {
  readonly cases: readonly {
    readonly header_table_size?: number
    readonly wire: string
    readonly headers: readonly Readonly<Record<string, string>>[]
  }[]
}

function decode(decoder: HeaderDecoder, hex: string): string[] {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const { text } = decoder.read(bytes, 0, bytes.length, 0)
  return latin1(text)
    .split('\r\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

/** The same in the form that a head has. */
function expected(headers: Story['cases'][number]['headers']): string[] {
  const all = headers.flatMap((one) => Object.entries(one))
  const value = (name: string) => all.find(([given]) => given === name)?.[1]
  const start =
    value(':status') === undefined
      ? `${value(':method') ?? '?'} ${value(':path') ?? '?'} HTTP/2`
      : `HTTP/2 ${value(':status')}`
  const rest = all.filter(([name]) => ![':method', ':path', ':status'].includes(name))
  return [start, ...rest.map(([name, text]) => `${name}: ${text}`.trim())]
}

describe.skipIf(!existsSync(stories))('the stories of other encoders', () => {
  const names = existsSync(stories) ? readdirSync(stories).filter((name) => name.endsWith('.json')) : []

  it.each(names)('%s', (name) => {
    const story: Story = JSON.parse(readFileSync(new URL(name, stories), 'utf8'))
    const decoder = new HeaderDecoder(connection)
    for (const { wire, headers } of story.cases) expect(decode(decoder, wire)).toEqual(expected(headers))
    expect(story.cases.length).toBeGreaterThan(0)
  })
})

describe('the examples of RFC 7541', () => {
  it('C.4 requests with Huffman, one connection', () => {
    const decoder = new HeaderDecoder(connection)
    expect(decode(decoder, '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')).toEqual([
      'GET / HTTP/2',
      ':scheme: http',
      ':authority: www.example.com',
    ])
    expect(decode(decoder, '8286 84be 5886 a8eb 1064 9cbf')).toContain('cache-control: no-cache')
    expect(decode(decoder, '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf')).toEqual([
      'GET /index.html HTTP/2',
      ':scheme: https',
      ':authority: www.example.com',
      'custom-key: custom-value',
    ])
  })

  it('C.5 responses that evict one another', () => {
    const decoder = new HeaderDecoder(connection)
    const first = `3fe1 01${Buffer.from(Uint8Array.of(0x48, 3)).toString('hex')}333032580770726976617465`
    expect(decode(decoder, first)).toEqual(['HTTP/2 302', 'cache-control: private'])
    expect(decode(decoder, 'bf be')).toEqual(['HTTP/2 302', 'cache-control: private'])
    // A size of 0 empties the table.
    expect(() => decode(decoder, '20 be')).toThrow(Malformed)
  })
})

describe('a decoder', () => {
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const insert = (name: string, value: string) =>
    `40${name.length.toString(16).padStart(2, '0')}${hex(name)}${value.length.toString(16).padStart(2, '0')}${hex(value)}`

  it('knows the same block again as long as the table stays', () => {
    const decoder = new HeaderDecoder(connection)
    decode(decoder, `88${insert('x-a', '1')}`)
    for (let i = 0; i < 4; i++) expect(decode(decoder, '88be')).toEqual(['HTTP/2 200', 'x-a: 1'])
    decode(decoder, `88${insert('x-b', '2')}`)
    for (let i = 0; i < 4; i++) expect(decode(decoder, '88be')).toEqual(['HTTP/2 200', 'x-b: 2'])
    expect(decode(decoder, '88bf')).toEqual(['HTTP/2 200', 'x-a: 1'])
  })

  it('keeps a value from pretending to be another line', () => {
    const decoder = new HeaderDecoder(connection)
    expect(decode(decoder, `88${insert('x-a', 'a\r\nx-evil: b')}`)).toEqual([
      'HTTP/2 200',
      'x-a: a  x-evil: b',
    ])
  })

  it('leaves heads as they are while others are written, whatever their lengths', () => {
    /** A literal that is not put into the table, as it is without Huffman. */
    const literal = (name: string, value: string) => {
      const { length } = value
      const size = length < 127 ? [length] : [127, ((length - 127) & 127) | 128, (length - 127) >> 7]
      return [0, name.length, ...Buffer.from(name), ...size, ...Buffer.from(value)]
    }
    const length = fc.oneof({ weight: 9, arbitrary: fc.nat(90) }, { weight: 1, arbitrary: fc.nat(16_000) })
    const asked = fc.record({
      side: fc.constantFrom<0 | 1>(0, 1),
      target: length,
      type: length,
      value: length,
    })
    fc.assert(
      fc.property(fc.array(asked, { minLength: 50, maxLength: 100 }), (list) => {
        const decoder = new HeaderDecoder(connection)
        const heads = list.map(({ side, target, type, value }, i) => {
          const path = `/${'p'.repeat(Math.min(target, 16_000))}`
          const texts = [`${i} ${'t'.repeat(type)}`, `${i} ${'v'.repeat(value)}`]
          const fields = [...literal('content-type', texts[0]), 0x90, ...literal('x-a', texts[1])]
          const block = Uint8Array.from(
            side === 0 ? [0x82, ...fields, ...literal(':path', path)] : [0x88, ...fields],
          )
          const line = side === 0 ? `GET ${path} HTTP/2` : 'HTTP/2 200'
          const told = `${line}\r\ncontent-type: ${texts[0]}\r\naccept-encoding: gzip, deflate\r\nx-a: ${texts[1]}\r\n`
          const { text, fields: from, hasContentType } = decoder.read(block, 0, block.length, side)
          expect(from).toBe(line.length + 2)
          expect(hasContentType).toBe(true)
          return { text, told }
        })
        for (const { text, told } of heads) expect(latin1(text)).toBe(told)
      }),
      { numRuns: 12 },
    )
  })

  it('does not let a few bytes become very many', () => {
    const decoder = new HeaderDecoder(connection)
    decode(decoder, `88${insert('x-a', 'v'.repeat(120))}`)
    const bytes = new Uint8Array(10_000).fill(0xbe)
    const section = decoder.read(bytes, 0, bytes.length, 1)
    expect(section.truncated).toBe(true)
    expect(section.text.length).toBeLessThan(70_000)
  })

  it.each(['80', 'ff', 'ffffffffffffff', '4005', '4001', 'be', '0085ffffffff00'])('refuses %s', (wire) => {
    expect(() => decode(new HeaderDecoder(connection), wire)).toThrow(Malformed)
  })

  it('resynchronises after lost blocks if names show how many entries were missed', () => {
    const decoder = new HeaderDecoder(connection)
    const base = `8286${insert(':path', '/a')}${insert(':authority', 'shop')}${insert('user-agent', 'x')}`
    expect(decode(decoder, base)).toHaveLength(4)
    const repeated = (path: number) => `8286${path.toString(16)}bfbe`
    expect(decode(decoder, repeated(0xc0))).toEqual([
      'GET /a HTTP/2',
      ':scheme: http',
      ':authority: shop',
      'user-agent: x',
    ])
    decoder.lose()
    // Two entries were added meanwhile: everything moved by two, and what they are is not known.
    expect(decode(decoder, '8286c2c1c0')).toEqual([
      'GET /a HTTP/2',
      ':scheme: http',
      ':authority: shop',
      'user-agent: x',
    ])
    expect(decoder.read(Uint8Array.of(0x82, 0x86, 0xbe, 0xc1, 0xc0), 0, 5, 0)).toMatchObject({ unknown: 1 })
  })

  it('does not guess where names say nothing', () => {
    const decoder = new HeaderDecoder(connection)
    decode(decoder, `8286${insert(':path', '/a')}`)
    decode(decoder, `8286${insert(':path', '/b')}`)
    decoder.lose()
    expect(decoder.read(Uint8Array.of(0x82, 0x86, 0xbe), 0, 3, 0)).toMatchObject({ unknown: 1 })
    expect(decode(decoder, `8286${insert(':path', '/c')}`)).toContain('GET /c HTTP/2')
    expect(decode(decoder, '8286be')).toContain('GET /c HTTP/2')
    expect(decoder.read(Uint8Array.of(0x82, 0x86, 0xbf), 0, 3, 0)).toMatchObject({ unknown: 1 })
  })
})
