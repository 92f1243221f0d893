import { expect, test } from 'vitest'
import { parseSet } from './set-notation.ts'

const pairs = (text: string, asText = false) => parseSet(text, asText).map(({ path, value }) => [path, value])

test.each<[string, unknown]>([
  ['a=b', [[['a'], 'b']]],
  ['a.b.c=d', [[['a', 'b', 'c'], 'd']]],
  [
    'a=b,c.d=e',
    [
      [['a'], 'b'],
      [['c', 'd'], 'e'],
    ],
  ],
  ['a=', [[['a'], '']]],
  ['a=b=c', [[['a'], 'b=c']]],
  [
    'a=true,b=false,c=null',
    [
      [['a'], true],
      [['b'], false],
      [['c'], null],
    ],
  ],
  [
    'a=0,b=8898,c=-5',
    [
      [['a'], 0],
      [['b'], 8898],
      [['c'], -5],
    ],
  ],
  [
    'a=007,b=1.5,c=5m,d=99999999999999999999',
    [
      [['a'], '007'],
      [['b'], '1.5'],
      [['c'], '5m'],
      [['d'], '99999999999999999999'],
    ],
  ],
  ['a={x,y,1}', [[['a'], ['x', 'y', 1]]]],
  [
    'a={},b=c',
    [
      [['a'], []],
      [['b'], 'c'],
    ],
  ],
  ['a={x\\,y,z}', [[['a'], ['x,y', 'z']]]],
  ['a=x\\,y', [[['a'], 'x,y']]],
  ['a\\.b/c=d', [[['a.b/c'], 'd']]],
  ['a[0]=x', [[['a', 0], 'x']]],
  ['a[1].b=x', [[['a', 1, 'b'], 'x']]],
  ['a[0][2]=x', [[['a', 0, 2], 'x']]],
])('%s', (text, expected) => {
  expect(pairs(text)).toEqual(expected)
})

test('as text nothing is taken for a number, a boolean or null', () => {
  expect(pairs('a=1,b=true,c={null,2}', true)).toEqual([
    [['a'], '1'],
    [['b'], 'true'],
    [['c'], ['null', '2']],
  ])
})

test.each([
  ['', 'expected key=value'],
  ['a', 'key a has no value'],
  ['a.b,c=d', 'key a.b has no value'],
  ['=b', 'empty'],
  ['a..b=c', 'empty'],
  ['a={b', 'no closing }'],
  ['a={b}c', 'expected a comma'],
  ['a[x]=b', 'place in a list'],
  ['a[99999999]=b', 'place in a list'],
  ['a[0]b=c', 'expected = or .'],
])('%j is refused', (text, message) => {
  expect(() => parseSet(text)).toThrow(message)
})
