import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Engine } from './engine.ts'
import { NamesCache } from './names.ts'
import { createStatements } from './schema.ts'

const MEMORY = 64 * 1024 * 1024

let folder: string
let engine: Engine
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  engine = await Engine.start(folder, MEMORY, false)
})
afterEach(() => {
  engine.stop()
  rmSync(folder, { recursive: true })
})

/** The database of a finished chunk, with so many words. */
async function chunkOf(number: number, words: number): Promise<{ readonly database: string }> {
  const database = `chunk_${number}`
  await engine.run(`ATTACH ':memory:' AS ${database}`)
  for (const statement of createStatements(database)) await engine.run(statement)
  await engine.run(`INSERT INTO ${database}.words SELECT range, 'word ' || range FROM range(1, ${words + 1})`)
  return { database }
}

test('the names of a dropped chunk are not kept', async () => {
  const cache = new NamesCache(engine)
  const [first, second] = [await chunkOf(1, 10), await chunkOf(2, 20)]
  const empty = cache.size
  const names = await cache.of(first)
  expect(names.words.text(10)).toBe('word 10')
  const one = cache.size
  expect(one).toBeGreaterThan(empty)
  await cache.of(second)
  const both = cache.size
  cache.retain([second])
  expect(cache.size).toBe(both - one)
  cache.retain([])
  expect(cache.size).toBe(0)
})

test('names that are loaded while their chunk is dropped are not kept', async () => {
  const cache = new NamesCache(engine)
  const loading = cache.of(await chunkOf(1, 10))
  cache.retain([])
  expect((await loading).words.text(1)).toBe('word 1')
  expect(cache.size).toBe(0)
})

test('names that could not be loaded are loaded again', async () => {
  const cache = new NamesCache(engine)
  const chunk = { database: 'chunk_1' }
  await expect(cache.of(chunk)).rejects.toThrow('chunk_1')
  await chunkOf(1, 10)
  expect((await cache.of(chunk)).words.text(1)).toBe('word 1')
})
