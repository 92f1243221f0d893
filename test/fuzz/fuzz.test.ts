import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trials } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { seeded } from '../../packages/dissect/src/conformance/replay.ts'
import { readCorpus } from './corpus.ts'
import { fromText, type Input, toText } from './input.ts'
import { mutate } from './mutate.ts'
import { shrink } from './shrink.ts'
import { type Manner, tryInput } from './try-input.ts'

const manners: readonly Manner[] = ['whole', 'tight', 'bytes']
const corpus = readCorpus(join(import.meta.dirname, '../../packages/dissect/src/protocols'))

test('every capture gives conversations, packets and files to begin from', () => {
  const doors = new Set(corpus.map(({ door }) => door))
  expect([...doors].sort()).toEqual(['file', 'packets', 'stream'])
  expect(new Set(corpus.map(({ origin }) => origin.split('/')[0])).size).toBeGreaterThan(20)
})

test('mutated inputs are survived', () => {
  const random = seeded(20)
  const pick = () => corpus[Math.floor(random() * corpus.length)]
  for (let i = 0; i < trials(400, 100); i++) {
    const input = mutate(pick(), pick(), random)
    expect(tryInput(input, manners[i % 3]).problem, toText(input)).toBeUndefined()
  }
})

test('an input is the same after it was written down', () => {
  for (const input of corpus.slice(0, 50)) expect(fromText(toText(input))).toEqual(input)
})

test('a failing input is made as small as it can be', () => {
  const input: Input = { door: 'file', origin: 'here', bytes: Uint8Array.from({ length: 99 }, (_, i) => i) }
  const small = shrink(input, (one) => one.door === 'file' && one.bytes.includes(50))
  expect(small).toEqual({ ...input, bytes: Uint8Array.of(50) })
})

/** Inputs that once broke something, as `npm run fuzz` found them. */
test('what was found before is survived', () => {
  const folder = join(import.meta.dirname, 'found')
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const input = fromText(readFileSync(join(folder, name), 'utf8'))
    for (const manner of manners) expect(tryInput(input, manner).problem, name).toBeUndefined()
  }
})
