import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { FilterTooLarge } from './filter-too-large.ts'
import { KflError } from './kfl-error.ts'
import { MAX_NODES, MAX_REGEX_SIZE, MAX_TOKENS } from './limits.ts'
import { sampleProtocols } from './testing/index.ts'
import { wrong } from './testing/wrong-filters.ts'

const catalog = createCatalog(sampleProtocols)

function errorOf(text: string): KflError {
  try {
    compile(text, catalog)
  } catch (error) {
    if (error instanceof KflError) return error
    throw error
  }
  throw new Error(`${text} is accepted`)
}

function isRight(text: string): boolean {
  try {
    compile(text, catalog, 0)
    return true
  } catch {
    return false
  }
}

describe('a wrong filter', () => {
  for (const [filter, message, place, suggestion] of wrong) {
    test(filter, () => {
      const error = errorOf(filter)
      expect(error.message).toBe(message)
      expect(filter.slice(error.position, error.position + error.length)).toBe(place)
      expect(error.suggestion).toBe(suggestion)
    })
  }

  // The name that udp_checksum leads to is not in this catalog.
  const mendable = wrong.filter(([filter, , , mend]) => mend !== undefined && !filter.startsWith('udp_'))
  test.each(mendable.map(([filter]) => filter))(
    'is mended by putting the suggestion in the place of what is wrong: %s',
    (filter) => {
      let mended = filter
      // A name may lead to a list, which then says how to ask of it.
      for (let step = 0; step < 2 && !isRight(mended); step++) {
        const { position, length, suggestion } = errorOf(mended)
        expect(suggestion).toBeDefined()
        mended = mended.slice(0, position) + suggestion + mended.slice(position + length)
      }
      expect(isRight(mended), mended).toBe(true)
    },
  )

  test('has its suggestion in full, however long it is', () => {
    const name = 'a'.repeat(200)
    expect(errorOf(`dns_questions != "${name}"`).suggestion).toBe(`"${name}" not in dns_questions`)
  })

  test('says what was expected where nothing can be suggested', () => {
    expect(errorOf('request.path ==').expected).toEqual(['field', 'value'])
    expect(errorOf('http dns').expected).toContain('and')
    expect(errorOf('(http').expected).toEqual([')'])
  })

  test('of a megabyte is refused at once', () => {
    const message = 'The filter is 1048576 characters long; at most 16384 are accepted.'
    expect(errorOf('a'.repeat(1 << 20)).message).toBe(message)
  })

  test.each([
    ['parentheses', '('.repeat(3000)],
    ['negations', `${'!'.repeat(3000)}http`],
    ['sums', `1${'+1'.repeat(2000)} == 1`],
    ['members', `response.body.json${'.a'.repeat(2000)} == 1`],
    ['indexes', 'path['.repeat(1000)],
    ['choices', `${'http ? http : '.repeat(1000)}http`],
  ])('nested too deep in %s is refused', (_, filter) => {
    expect(errorOf(filter).message).toBe('The filter is nested more than 200 levels deep.')
  })

  test.each([
    ['choices', `${'('.repeat(40)}http${' ? dns : dns)'.repeat(40)}`, MAX_NODES],
    ['signs', '!'.repeat(MAX_TOKENS + 1), MAX_TOKENS],
    ['items', `src.port in [${'1,'.repeat(3000)}1]`, MAX_TOKENS],
    ['repetitions', Array(20).fill('path matches "a{999}"').join(' or '), MAX_REGEX_SIZE],
    ['letters of both cases', `path matches "(?i)${'[Ā-Ԁ]'.repeat(200)}"`, MAX_REGEX_SIZE],
  ])('with too many %s is refused with the limit and a hint', (_, filter, limit) => {
    const error = errorOf(filter)
    expect(error).toBeInstanceOf(FilterTooLarge)
    expect(error).toMatchObject({ limit, hint: expect.stringMatching(/^[A-Z].*\.$/) })
  })
})
