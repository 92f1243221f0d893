import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Engine } from './engine.ts'

const MEMORY = 64 * 1024 ** 2

it('has a second thread for queries, and gives it up before a commit if no query runs', async () => {
  const engine = await Engine.start('/nowhere', MEMORY, true)
  await engine.run('CREATE TABLE numbers (number INTEGER)')
  expect(engine.threads).toBe(1)
  expect(await engine.rows("SELECT current_setting('threads')")).toEqual([[2n]])
  await engine.rest()
  expect(engine.threads).toBe(1)
  expect(await engine.rows("SELECT current_setting('threads')")).toEqual([[2n]])
  engine.stop()
})

it('keeps its threads while a query runs, and does not delay a commit', async () => {
  const engine = await Engine.start('/nowhere', MEMORY, true)
  const answer = engine.rows("SELECT current_setting('threads'), count(*) FROM range(3000000)")
  await engine.rest()
  expect(await answer).toEqual([[2n, 3_000_000n]])
  expect(engine.threads).toBe(2)
  engine.stop()
})

it('has one thread for what is asked while many rows are written', async () => {
  const engine = await Engine.start('/nowhere', MEMORY, true)
  const threads = () => engine.rows("SELECT current_setting('threads')")
  engine.written(true)
  expect(await threads()).toEqual([[1n]])
  engine.written(false)
  expect(await threads()).toEqual([[2n]])
  engine.stop()
})

it('reads nothing outside of its folder for a database that others wrote', async () => {
  const root = mkdtempSync(join(tmpdir(), "tapdeck-engine-o'-"))
  try {
    const folder = join(root, 'index')
    writeFileSync(join(root, 'secret'), 'of the hub')
    const attach = `ATTACH '${join(folder, 'calls.duckdb').replaceAll("'", "''")}' AS hostile`
    const secret = join(root, 'secret').replaceAll("'", "''")
    mkdirSync(folder)
    const writer = await Engine.start(folder, MEMORY, false)
    await writer.run(`${attach}; CREATE VIEW hostile.sealed AS SELECT content FROM read_text('${secret}')`)
    expect(await writer.rows('SELECT * FROM hostile.sealed')).toEqual([['of the hub']])
    writer.stop()
    const reader = await Engine.start(folder, MEMORY, true)
    await reader.run(`${attach} (READ_ONLY)`)
    await expect(reader.rows('SELECT * FROM hostile.sealed')).rejects.toThrow(/Cannot access file/)
    await expect(reader.run(`SET allowed_directories = ['/']`)).rejects.toThrow(/Cannot change/)
    reader.stop()
  } finally {
    rmSync(root, { recursive: true })
  }
})
