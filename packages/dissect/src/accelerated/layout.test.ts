import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HEAD_NOTES } from './layout.ts'

const source = readFileSync(join(import.meta.dirname, 'quick-heads.wat'), 'utf8')
const layout: Readonly<Record<string, number>> = HEAD_NOTES

test('each access to the notes names its word, at the offset of the layout', () => {
  const accesses = [
    ...source.matchAll(
      /\(i32\.(?:load|store)(?: offset=(\d+))?(?: align=\d+)?(?: \(;([^;]*);\))?\s+\(i32\.const 0\)/g,
    ),
  ]
  expect(accesses.length).toBeGreaterThan(20)
  for (const [text, offset = '0', name = ''] of accesses) expect(Number(offset), text).toBe(layout[name]! * 4)
})

test('the lines are noted from the word of the layout on', () => {
  const named = [...source.matchAll(/\(i32\.const (\d+) \(;(\w+);\)\)/g)]
  expect(named.map(([, , name]) => name)).toEqual(['FIRST_LINE'])
  for (const [text, value, name] of named) expect(Number(value), text).toBe(layout[name!]! * 4)
})
