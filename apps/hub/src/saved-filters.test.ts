import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SavedFilters } from './saved-filters.ts'
import { FolderState } from './state/folder-state.ts'

const log = pino({ level: 'silent' })
let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-filters-'))
  path = join(folder, 'saved-filters.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const filter = (name: string, kfl = 'http') => ({
  name,
  kfl,
  saved_by: 'ada',
  saved_at: '2026-01-01T00:00:00.000Z',
})

it('keeps filters over a restart, in a file of its owner', async () => {
  const first = await SavedFilters.open(new FolderState(folder), log)
  await Promise.all([
    first.save(filter('slow')),
    first.save(filter('broken')),
    first.save(filter('slow', 'dns')),
  ])
  const second = await SavedFilters.open(new FolderState(folder), log)
  expect(second.list()).toEqual([filter('broken'), filter('slow', 'dns')])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await second.remove('slow')
  expect((await SavedFilters.open(new FolderState(folder), log)).list()).toEqual([filter('broken')])
})

it('refuses to delete what is not there, and more filters than the limit', async () => {
  await writeFile(path, JSON.stringify(Array.from({ length: 200 }, (_, n) => filter(`f${n}`))))
  const filters = await SavedFilters.open(new FolderState(folder), log)
  await expect(filters.remove('nothing')).rejects.toMatchObject({ status: 404 })
  await expect(filters.save(filter('more'))).rejects.toMatchObject({ status: 409, code: 'too_many_filters' })
  await filters.save(filter('f0', 'dns'))
  expect(filters.list()).toHaveLength(200)
})

it('saves no more than it reads at the next start', async () => {
  const filters = await SavedFilters.open(new FolderState(folder), log)
  // Each character is six in the file.
  const long = '\u0001'.repeat(300_000)
  await filters.save(filter('one', long))
  await filters.save(filter('two', long))
  await expect(filters.save(filter('three', long))).rejects.toMatchObject({
    status: 409,
    code: 'too_many_filters',
  })
  expect(filters.list()).toHaveLength(2)
  expect((await SavedFilters.open(new FolderState(folder), log)).list()).toHaveLength(2)
})

it('starts without filters where the file is damaged, and leaves it until the next one is saved', async () => {
  await writeFile(path, '{"half":')
  const filters = await SavedFilters.open(new FolderState(folder), log)
  expect(filters.list()).toEqual([])
  expect(await readFile(path, 'utf8')).toBe('{"half":')
})
