import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { complete } from './complete.ts'
import { compile } from './filter.ts'
import { format } from './format.ts'
import { KflError } from './kfl-error.ts'
import { toSql } from './sql.ts'
import { arbitraryCall, arbitraryFilter, sampleProtocols, seededRandom } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const call = arbitraryCall(seededRandom(3))

const pieces =
  '( ) [ ] { } and or not && || ! == != < >= in contains matches startswith " \' \\ . .. , ? : + - * / % = ~ path src.ip status latency ts dns_questions pods proto request.headers response.body.json x-id .exists( .all( .map( x has( size( now() any( it null true 5 5ms 1MB 5xx 10.0.0.0/8 ::1 10.0.0 "5m" "(a+)+$" "[" r"a" 1e9 0x1F \u0000 😀 \ud800'.split(
    ' ',
  )

/** Runs a filter through everything; whatever it is, a `KflError` is all that may come out. */
function survive(text: string): void {
  complete(text, Math.floor(text.length / 2), catalog)
  try {
    const filter = compile(text, catalog, 0)
    toSql(filter, {})
    const again = compile(format(text), catalog, 0)
    expect(again.matches(call)).toBe(filter.matches(call))
  } catch (error) {
    if (!(error instanceof KflError)) throw error
    expect(error.position).toBeGreaterThanOrEqual(0)
    expect(error.position).toBeLessThanOrEqual(text.length)
    expect(error.length).toBeGreaterThan(0)
    expect(error.message.length).toBeLessThan(300)
  }
}

test('any text is a filter or a KflError', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), survive), { numRuns: 500 })
})

test('any heap of pieces is a filter or a KflError', () => {
  const heap = fc.array(fc.constantFrom(...pieces), { maxLength: 20 })
  fc.assert(
    fc.property(heap, fc.constantFrom(' ', ''), (parts, glue) => survive(parts.join(glue))),
    { numRuns: 3000 },
  )
})

test('a filter with a piece cut out or put in is a filter or a KflError', () => {
  const edit = fc.record({
    seed: fc.nat(),
    from: fc.nat(),
    length: fc.nat(4),
    put: fc.constantFrom('', ...pieces),
  })
  fc.assert(
    fc.property(edit, ({ seed, from, length, put }) => {
      const { words } = arbitraryFilter(seededRandom(seed), 2)
      const at = from % (words.length + 1)
      survive(words.slice(0, at) + put + words.slice(at + length))
    }),
    { numRuns: 2000 },
  )
})

test('what compiles can be formatted, and the result compiles', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
      const text = parts.join(' ')
      try {
        compile(text, catalog, 0)
      } catch {
        return
      }
      expect(() => compile(format(text), catalog, 0)).not.toThrow()
    }),
    { numRuns: 3000 },
  )
})
