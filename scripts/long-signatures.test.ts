import { expect, test } from 'vitest'
import { longSignatures } from './long-signatures.ts'

test('counts parameters of functions, of methods in interfaces and of types', () => {
  expect(longSignatures('function f(a: number, b: string, c?: Map<A, B>): void {}', 2)).toHaveLength(1)
  expect(longSignatures('interface X {\n  copy(\n    a: number,\n    b: number,\n  ): void\n}', 1)).toEqual([
    '  copy( a: number, b: number, )'.replace(/\s+/g, ' '),
  ])
  expect(longSignatures('type F = (a: (x: A, y: B) => C, b: [D, E], ...rest: G[]) => void', 2)).toHaveLength(
    1,
  )
})

test('counts nothing else', () => {
  const calls = 'f(a, b, c) // (a: A, b: B, c: C): D\nconst x = y ? g(a, b, c) : h({ a: 1, b: 2, c: 3 })'
  expect(longSignatures(calls, 2)).toEqual([])
  expect(longSignatures('function f(a: { x: A, y: B, z: C }, b: (p: P, q: Q) => R): void {}', 2)).toEqual([])
})
