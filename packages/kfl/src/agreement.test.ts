import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { format } from './format.ts'
import { arbitraryCall, arbitraryFilter, sampleProtocols, seededRandom } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
/** `TAPDECK_AGREEMENT_RUNS` asks for more of them, for a long run now and then. */
const RUNS = Number(process.env.TAPDECK_AGREEMENT_RUNS ?? 800)
const seeds = fc.integer({ min: 0, max: 0x7fffffff })
const calls = Array.from({ length: 30 }, (_, seed) => arbitraryCall(seededRandom(seed)))

describe('one meaning', () => {
  test(
    'the predicate agrees with the rules of the language, in both accents',
    () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const { words, cel, meaning } = arbitraryFilter(seededRandom(seed))
          const filters = [compile(words, catalog), compile(cel, catalog)]
          for (const call of calls) {
            const expected = meaning(call)
            for (const filter of filters) {
              if (filter.matches(call) !== expected) {
                expect({ filter: filter.text, call, matches: !expected }).toEqual({ expected })
              }
            }
          }
        }),
        { numRuns: RUNS },
      )
    },
    Math.max(20_000, RUNS * 20),
  )

  test('a formatted filter means the same, and formatting it again changes nothing', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { words, cel, meaning } = arbitraryFilter(seededRandom(seed))
        for (const text of [words, cel]) {
          for (const accent of ['words', 'cel'] as const) {
            const formatted = format(text, accent)
            expect(format(formatted, accent)).toBe(formatted)
            const filter = compile(formatted, catalog)
            for (const call of calls.slice(0, 10)) expect(filter.matches(call)).toBe(meaning(call))
          }
        }
        expect(format(cel)).toBe(format(format(cel, 'cel')))
      }),
      { numRuns: 500 },
    )
  })

  test('the parts of a filter, all together, are the filter', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const filter = compile(arbitraryFilter(seededRandom(seed)).words, catalog)
        for (const call of calls) {
          expect(filter.parts.every((part) => part.matches(call))).toBe(filter.matches(call))
          for (const part of filter.parts)
            expect(compile(part.text, catalog).matches(call)).toBe(part.matches(call))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('a filter reads only the paths it names', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const filter = compile(arbitraryFilter(seededRandom(seed)).words, catalog)
        const tops = new Set(filter.paths.map((path) => path.split('.')[0]))
        for (const call of calls.slice(0, 5)) {
          const watched = new Proxy(call, {
            get(target, key) {
              expect(tops).toContain(key)
              return Reflect.get(target, key)
            },
          })
          filter.matches(watched)
        }
      }),
      { numRuns: 300 },
    )
  })
})
