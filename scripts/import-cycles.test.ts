import { expect, test } from 'vitest'
import { importCycles } from './import-cycles.ts'

test('a chain of imports has no cycle', () => {
  const chain = [
    { file: 'src/a.ts', from: './b.ts' },
    { file: 'src/a.ts', from: './deep/c.ts' },
    { file: 'src/b.ts', from: './deep/c.ts' },
    { file: 'src/deep/c.ts', from: 'zod' },
  ]
  expect(importCycles(chain)).toEqual([])
})

test('files that import each other through others are one cycle', () => {
  const circle = [
    { file: 'src/a.ts', from: './deep/c.ts' },
    { file: 'src/deep/c.ts', from: '../b.ts' },
    { file: 'src/b.ts', from: './a.ts' },
    { file: 'src/b.ts', from: './leaf.ts' },
    { file: 'src/top.ts', from: './a.ts' },
  ]
  expect(importCycles(circle)).toEqual([['src/a.ts', 'src/b.ts', 'src/deep/c.ts']])
})

test('a file that imports itself is a cycle', () => {
  expect(importCycles([{ file: 'src/a.ts', from: './a.ts' }])).toEqual([['src/a.ts']])
})
