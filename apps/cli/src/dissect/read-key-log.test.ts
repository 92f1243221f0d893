import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readKeyLog } from './read-key-log.ts'

let file: string
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'tapdeck-key-log-')), 'keys.log')
})
afterEach(() => rmSync(join(file, '..'), { recursive: true, force: true }))

const line = (number: number) => `CLIENT_RANDOM ${number.toString(16).padStart(64, '0')} ${'ab'.repeat(48)}\n`

it('reads all lines, also over the ends of the parts that it reads', () => {
  const lines = Array.from({ length: 10_000 }, (_, number) => line(number)).join('')
  writeFileSync(file, lines)
  expect(lines.length).toBeGreaterThan(1.5 * 1024 * 1024)
  const { text, ...counts } = readKeyLog(file)
  expect(counts).toEqual({ connections: 10_000, skipped: 0, evicted: 0 })
  expect(text === lines).toBe(true)
})

it('uses the connections at the end of a log that has too many', () => {
  writeFileSync(file, `${line(1)}${line(2)}${line(3)}`.trimEnd())
  expect(readKeyLog(file, 2)).toEqual({
    text: `${line(2)}${line(3)}`,
    connections: 2,
    skipped: 0,
    evicted: 1,
  })
})

it('counts a line without an end as damaged and reads on after it', () => {
  writeFileSync(file, `${line(1)}${'x'.repeat(3 * 1024 * 1024)}\n${line(2)}`)
  const { text, skipped } = readKeyLog(file)
  expect(text).toBe(`${line(1)}${line(2)}`)
  expect(skipped).toBeGreaterThan(0)
})
