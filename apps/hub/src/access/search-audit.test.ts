import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AuditQuery, searchAudit } from './search-audit.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-audit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const all: AuditQuery = { outcome: 'all', changes: false, limit: 100_000 }
const line = (at: number, pad = '') =>
  `${JSON.stringify({ at: new Date(at).toISOString(), who: `n${at}`, what: 'x', status: 200, pad })}\n`

test('reads files of several chunks backwards, with every line once', async () => {
  const [newer, older] = [join(folder, 'a'), join(folder, 'b')]
  const count = 3000
  // Lines of many lengths, so that chunks are cut at any place in them; letters of two bytes, too.
  const text = Array.from({ length: count }, (_, at) => line(count + at, 'é'.repeat((at * 7) % 500))).join('')
  writeFileSync(newer, text)
  writeFileSync(older, Array.from({ length: count }, (_, at) => line(at)).join(''))
  const { entries, truncated, searched_bytes } = await searchAudit([newer, older, join(folder, 'none')], all)
  expect(entries.map(({ at }) => Date.parse(at))).toEqual(
    Array.from({ length: 2 * count }, (_, at) => 2 * count - 1 - at),
  )
  expect([truncated, searched_bytes > Buffer.byteLength(text)]).toEqual([false, true])
})

test('ignores what is no entry, and stops before the window', async () => {
  const file = join(folder, 'a')
  writeFileSync(file, `${line(1)}not json\n[]\nnull\n{"at":5}\n${line(10_000_000)}{"at":"20`)
  expect((await searchAudit([file], all)).entries).toHaveLength(2)
  expect((await searchAudit([file], { ...all, start: 9_000_000 })).entries).toHaveLength(1)
  expect(await searchAudit([file], { ...all, limit: 1 })).toMatchObject({ truncated: true })
})
