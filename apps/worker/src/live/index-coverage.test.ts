import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { IndexCoverage } from './index-coverage.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-index-coverage-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('what the index deleted is reported, also after a restart', () => {
  const coverage = new IndexCoverage(folder)
  coverage.begin(1000)
  coverage.push(1_000_000)
  coverage.written(5000, undefined, [])
  expect(coverage.state.forgotten).toBeUndefined()
  coverage.deleted(3000)
  coverage.written(6000, undefined, [])
  expect(coverage.state).toMatchObject({ until: 6000, forgotten: 3000 })
  coverage.close()

  const again = new IndexCoverage(folder)
  again.begin(9000)
  again.push(9_000_000)
  // The index of the new process has deleted nothing yet.
  again.deleted(0)
  again.written(10_000, undefined, [])
  expect(again.state).toMatchObject({ until: 10_000, forgotten: 3000 })
  again.close()
})

test('an index that cannot be written is off from the last durable time on, until it is written again', () => {
  const coverage = new IndexCoverage(folder)
  coverage.begin(1000)
  coverage.push(1_000_000)
  coverage.written(5000, undefined, [])
  coverage.unwritten(new Error('ENOSPC: no space left on device, write'))
  expect(coverage.state).toMatchObject({
    until: 5000,
    off: { reason: 'disk_full', detail: 'ENOSPC: no space left on device, write' },
  })
  coverage.unwritten(new Error('the server refused it'))
  expect(coverage.state.off?.reason).toBe('index_unwritable')
  coverage.written(9000, undefined, [])
  expect(coverage.state).toMatchObject({ until: 9000 })
  expect(coverage.state.off).toBeUndefined()
  coverage.close()
})
