import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Regex } from './regex.ts'
import { RegexError } from './regex-error.ts'
import { RegexTooLarge } from './regex-too-large.ts'

describe('a regular expression', () => {
  test.each([
    ['abc', 'xabcx', true],
    ['^abc$', 'abc', true],
    ['^abc$', 'abcd', false],
    ['a|b', 'xb', true],
    ['^(a|bc)*d$', 'abcad', true],
    ['^a{2,3}$', 'aa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2}?b', 'aab', true],
    ['\\d+', 'x42', true],
    ['^\\D+$', 'x42', false],
    ['\\bcat\\b', 'a cat.', true],
    ['\\bcat\\b', 'concat', false],
    ['\\Bcat', 'concat', true],
    ['[^/]+$', 'a/b', true],
    ['^[]a-c-]+$', ']b-', true],
    ['^[[:digit:]]+$', '12', true],
    ['^.$', '😀', true],
    ['^.$', '\n', false],
    ['(?s)^.$', '\n', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['(?i)straße', 'STRASSE', false],
    ['(?i)ÉCOLE', 'école', true],
    ['(?i:a)b', 'Ab', true],
    ['(?i:a)b', 'AB', false],
    ['(?i)k', '\u212a', true],
    ['\\x41\\x{1F600}', 'A😀', true],
    ['a{,2}', 'a{,2}', true],
    ['', 'anything', true],
    ['^$', '', true],
    ['a\\.b', 'a.b', true],
    ['(?P<name>x)', 'x', true],
  ])('%s in %s: %s', (source, text, expected) => {
    expect(new Regex(source).test(text)).toBe(expected)
  })

  test.each([
    '(',
    ')',
    '[',
    '[b-a]',
    '*',
    'a**',
    'a{3,2}',
    'a{1001}',
    '\\',
    '(?=a)',
    '(?<!a)',
    '\\1',
    '\\pL',
    '{2}',
    '(?x)a',
  ])('%s is refused', (source) => {
    expect(() => new Regex(source)).toThrow(RegexError)
  })

  test('of ten thousand instructions is refused', () => {
    expect(() => new Regex('((((a{100}){100}){100}){100})')).toThrow('the pattern is too large')
    expect(() => new Regex('x'.repeat(2001))).toThrow('longer than 2000')
  })

  test('agrees with JavaScript where both read the pattern alike', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '[ab]',
      '[^a]',
      '(?:ab|c)',
      '(a)',
      '\\b',
      '^',
      '$',
    )
    const piece = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?'))
      .map(([a, q]) => (/[\^$b]$/.test(a) ? a : a + q))
    const pattern = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '😀')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(pattern, pattern, text, (left, right, subject) => {
        const source = `${left}|${right}`
        expect(new Regex(source).test(subject)).toBe(new RegExp(source, 'u').test(subject))
      }),
      { numRuns: 3000 },
    )
  })

  test('that makes a backtracking engine explode is answered', () => {
    const text = `${'a'.repeat(50_000)}!`
    expect(new Regex('^(a+)+$').test(text)).toBe(false)
    expect(new Regex('^(a|aa)+$').test(text)).toBe(false)
    expect(new Regex('(.*)*x(.*)*y').test(text)).toBe(false)
  })

  test('that makes a new state for every character is answered', () => {
    let text = ''
    for (let at = 0, bits = 1; at < 20_000; at++, bits = (bits * 1103515245 + 12345) & 0x7fffffff)
      text += bits & 4096 ? 'a' : 'b'
    expect(new Regex('a[ab]{60}c').test(text)).toBe(false)
    expect(new Regex('a[ab]{60}c').test(`${text}c`)).toBe(/a[ab]{60}c/.test(`${text}c`))
  })

  test.each([
    ['^/orders/\\d+$', true],
    ['a(b|c)*', true],
    ['(?i)abc', true],
    ['(?i)é', false],
    ['a(?:)', false],
    ['a$b', false],
    ['\\B', false],
    ['(?P<n>a)', false],
    ['[a-z]{300}', false],
  ])('%s may be run by an index: %s', (source, portable) => {
    expect(new Regex(source).portable).toBe(portable)
  })
})

describe('the places where a pattern matches', () => {
  const places = (source: string, text: string) => {
    const spans = new Regex(source).spans(text)
    return Array.from({ length: spans.length / 2 }, (_, i) => text.slice(spans[2 * i], spans[2 * i + 1]))
  }

  test.each([
    ['a+', 'baab a', ['aa', 'a']],
    ['sk_[a-z0-9]+', 'key=sk_live1;sk_2 sk_', ['sk_live1', 'sk_2']],
    ['\\bab\\b', 'ab cab ab', ['ab', 'ab']],
    ['ab|abc', 'xabcx', ['abc']],
    ['a*', 'bbaab', ['aa']],
    ['^x', 'xx', ['x']],
    ['x$', 'xx', ['x']],
    ['(ab)+', 'ababx', ['abab']],
    ['(ab)+', 'ababax', ['ababa']],
    ['é.', 'aéz😀é😀', ['éz', 'é😀']],
    ['nothing', 'here', []],
  ])('%s in %s', (source, text, expected) => {
    expect(places(source, text)).toEqual(expected)
  })

  test.each(['[^a]{900}', '(?:[^a]?){900}', '(?:[^a]{1,30}){30}b'])(
    '%s gives up after its steps',
    (source) => {
      const text = 'xy'.repeat(5000)
      expect(() => new Regex(source).spans(`${text}b`, 50_000)).toThrow(RegexTooLarge)
      expect(new Regex('xy').spans(text, 200_000)).toHaveLength(10_000)
    },
  )

  test('are those of JavaScript, the longest where it could take a shorter one', () => {
    for (const source of ['[0-9]{3}-[0-9]{4}', 'tok[a-z]+', '[A-F0-9]{8}'])
      for (const text of ['555-1234 and 12-3456, 999-0000', 'token toka tok', 'DEADBEEF0 x 12345678'])
        expect(places(source, text)).toEqual(text.match(new RegExp(source, 'g')) ?? [])
  })

  test('come in linear time for a pattern that reads far ahead', () => {
    expect(places('a(.*b)?', 'a'.repeat(20_000)).join('')).toBe('a'.repeat(20_000))
  })
})

test('a pattern that makes new states at every character gives up after so many steps', () => {
  const regex = new Regex('[ab]*a[ab]{600}c')
  const text = Array.from({ length: 65_536 }, (_, at) => ((at * 2654435761) & 4096 ? 'a' : 'b')).join('')
  let looked = 0
  const counted = new Proxy(new String(text), {
    get: (of, name) => {
      if (name !== 'codePointAt') return Reflect.get(of, name)
      return (at: number) => {
        looked++
        return text.codePointAt(at)
      }
    },
  }) as unknown as string
  expect(regex.test(counted, 2_000_000)).toBe(false)
  expect(looked).toBeLessThan(20_000)
  expect(regex.test(`${'a'.repeat(601)}c`, 2_000_000)).toBe(true)
})
