import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Engine } from './engine.ts'

test('a database that rests gives back what it has read, and answers as before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-release-'))
  const engine = await Engine.start(folder, 256 * 1024 ** 2, false)
  const held = async () => {
    const [[bytes]] = await engine.rows(
      "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory() WHERE tag = 'BASE_TABLE'",
    )
    return Number(bytes)
  }
  const sum = () => engine.rows('SELECT sum(hash(n) % 1000), count(*) FROM kept.numbers')
  try {
    await engine.run(`ATTACH '${join(folder, 'kept.duckdb')}' AS kept`)
    await engine.run('CREATE TABLE kept.numbers AS SELECT hash(range) AS n FROM range(3000000)')
    await engine.run('CHECKPOINT kept')
    const before = await sum()
    const full = await held()
    expect(full).toBeGreaterThan(16e6)
    await engine.release()
    expect(await held()).toBeLessThan(full / 2)
    expect(await sum()).toEqual(before)
    expect(await engine.rows("SELECT current_setting('memory_limit')")).not.toEqual([['8.0 MB']])
  } finally {
    engine.stop()
    rmSync(folder, { recursive: true })
  }
})
