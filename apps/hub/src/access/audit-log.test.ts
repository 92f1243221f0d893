import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AuditLog } from './audit-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-audit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const log = pino({ level: 'silent' })
const entry = (kfl: string) => ({
  at: '2026-01-01T00:00:00Z',
  who: 'ada',
  role: 'svc-viewer',
  kind: 'token',
  from: '',
  door: 'api',
  what: 'list_api_calls',
  status: 200,
  input: { kfl },
})

it('writes lines that only the owner reads, with long inputs cut', async () => {
  const audit = new AuditLog(folder, log)
  audit.add(entry('http'))
  audit.add(entry('x'.repeat(100_000)))
  await audit.flush()
  const file = join(folder, 'audit/audit.jsonl')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(JSON.parse(lines[0]!)).toEqual(entry('http'))
  expect(lines[1]!.length).toBeLessThan(3000)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('begins a new file in time and keeps only some', async () => {
  const audit = new AuditLog(folder, log)
  for (let round = 0; round < 10; round++) {
    for (let count = 0; count < 9000; count++) audit.add(entry('x'.repeat(1900)))
    await audit.flush()
  }
  const files = readdirSync(join(folder, 'audit'))
  expect(files.length).toBe(8)
  for (const file of files) expect(statSync(join(folder, 'audit', file)).size).toBeLessThan(20 * 1024 * 1024)
})

it('counts what it could not write, and says so as soon as it can', async () => {
  writeFileSync(join(folder, 'audit'), 'in the way')
  const audit = new AuditLog(folder, log)
  audit.add(entry('http'))
  await audit.flush()
  expect(audit.lost).toBe(1)
  rmSync(join(folder, 'audit'))
  audit.add(entry('dns'))
  await audit.flush()
  const lines = readFileSync(join(folder, 'audit/audit.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([entry('dns'), { at: expect.any(String), lost: 1 }])
})
