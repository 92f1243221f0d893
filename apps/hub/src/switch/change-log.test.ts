import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startHub } from '../testing/start-hub.ts'
import { ChangeLog } from './change-log.ts'
import type { SwitchChange } from './switch.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-changes-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const warned: string[] = []
const log = { warn: (_: object, text: string) => void warned.push(text) } as never
const change = (at: number): SwitchChange => ({
  at,
  enabled: at % 2 === 0,
  by: 'ann',
  door: 'api',
  reason: 'request',
})
const lines = async () =>
  (await readFile(join(folder, 'switch-changes.jsonl'), 'utf8')).split('\n').length - 1

describe('the log of changes', () => {
  it('is there after a restart, newest first', async () => {
    const first = await startHub({ folder })
    await first.send('POST', '/api/dissection/disable')
    await first.close()
    const second = await startHub({ folder })
    const { changes } = (await second.get('/mcp/dissection/changes')).json
    await second.close()
    expect(changes.map(({ reason, enabled }: SwitchChange) => [reason, enabled])).toEqual([
      ['start', true],
      ['request', false],
      ['start', true],
    ])
  })

  it('keeps the newest thousand and never grows beyond twice that', async () => {
    let book = await ChangeLog.open(folder, log)
    for (let at = 0; at < 2500; at++) book.add(change(at))
    await book.flush()
    expect(await lines()).toBeLessThanOrEqual(2000)
    book = await ChangeLog.open(folder, log)
    expect([book.changes.length, book.changes[0]!.at, book.changes.at(-1)!.at]).toEqual([1000, 2499, 1500])
  })

  it('survives a line that a crash cut off, and lines that are none', async () => {
    const book = await ChangeLog.open(folder, log)
    book.add(change(1))
    await book.flush()
    await appendFile(join(folder, 'switch-changes.jsonl'), 'nonsense\n{"at": 2, "ena')
    const after = await ChangeLog.open(folder, log)
    after.add(change(3))
    await after.flush()
    const again = await ChangeLog.open(folder, log)
    expect(again.changes.map(({ at }) => at)).toEqual([3, 1])
  })

  it('goes on in memory where the disk does not take it', async () => {
    const book = await ChangeLog.open(join(folder, 'nowhere'), log)
    book.add(change(1))
    await book.flush()
    expect([book.changes.length, warned.length]).toEqual([1, 1])
  })
})
