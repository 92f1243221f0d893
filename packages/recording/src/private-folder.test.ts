import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makePrivate } from './private-folder.ts'

let root: string
let data: string
const modeOf = (path: string) => (statSync(join(data, path)).mode & 0o7777).toString(8)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tapdeck-private-'))
  data = join(root, 'data')
  for (const folder of ['', 'live', 'live/chunk-000001', 'snapshots', 'snapshots/one']) add(folder, 0o755)
  for (const file of ['live/chunk-000001/payload.seg', 'agents.json', 'snapshots/one/a.pcapng'])
    add(file, 0o644)
  chmodSync(join(data, 'snapshots/one/a.pcapng'), 0o440)
})
afterEach(() => rmSync(root, { recursive: true }))

function add(path: string, mode: number): void {
  if (mode === 0o755) mkdirSync(join(data, path), { recursive: true })
  else writeFileSync(join(data, path), '')
  chmodSync(join(data, path), mode)
}

test('each process takes the rights of others from what it keeps, and from the folder', () => {
  expect(makePrivate(data, 'worker')).toEqual({ mended: 4, failed: 0 })
  expect([modeOf('.'), modeOf('live/chunk-000001')]).toEqual(['700', '700'])
  expect(modeOf('live/chunk-000001/payload.seg')).toBe('600')
  expect(modeOf('agents.json')).toBe('644')
  expect(makePrivate(data, 'hub')).toEqual({ mended: 4, failed: 0 })
  expect([modeOf('agents.json'), modeOf('snapshots/one/a.pcapng')]).toEqual(['600', '400'])
  expect(makePrivate(data, 'hub')).toEqual({ mended: 0, failed: 0 })
})

test('a folder that also has other files is left as it is, and so are those and what links lead to', () => {
  writeFileSync(join(data, 'letter.txt'), '')
  chmodSync(join(data, 'letter.txt'), 0o644)
  const elsewhere = join(root, 'elsewhere')
  writeFileSync(elsewhere, '')
  chmodSync(elsewhere, 0o644)
  symlinkSync(elsewhere, join(data, 'live', 'link'))
  makePrivate(data, 'worker')
  makePrivate(data, 'hub')
  expect([modeOf('.'), modeOf('letter.txt'), modeOf('live/link')]).toEqual(['755', '644', '644'])
  expect(modeOf('live')).toBe('700')
})

test('a folder that is a link to another disk is mended there', () => {
  const disk = join(root, 'disk')
  mkdirSync(disk)
  writeFileSync(join(disk, 'segment'), '')
  chmodSync(join(disk, 'segment'), 0o644)
  symlinkSync(disk, join(data, 'recording'))
  makePrivate(data, 'worker')
  expect(modeOf('recording/segment')).toBe('600')
})
