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
