import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
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

  it('continues at a hub that takes over; a restart begins as configured', async () => {
    const first = await startHub({ folder })
    await first.send('POST', '/api/dissection/disable')
    await first.close()
    const second = await startHub({ folder, hasTakenOver: true })
    expect((await second.get('/api/dissection')).json).toMatchObject({ enabled: false, reason: 'request' })
    expect((await second.get('/mcp/dissection/changes')).json.changes).toHaveLength(2)
    await second.close()
    const third = await startHub({ folder })
    expect((await third.get('/api/dissection')).json).toMatchObject({ enabled: true, reason: 'start' })
    await third.close()
    // A start is no order of a user: the hub that takes over has a configuration of its own.
    const fourth = await startHub({
      folder,
      hasTakenOver: true,
      set: ['tap.capture.dissection.enabled=false'],
    })
    expect((await fourth.get('/api/dissection')).json).toMatchObject({ enabled: false, reason: 'start' })
    await fourth.close()
  })

  it('a change that cannot be stored is refused, and not in force', async () => {
    const state = new FolderState(folder)
    const hub = await startHub({ folder, state })
    await state.close()
    await rm(join(folder, 'switch.json'))
    await mkdir(join(folder, 'switch.json'))
    expect((await hub.send('POST', '/api/dissection/disable')).status).toBe(500)
    expect((await hub.get('/api/dissection')).json).toMatchObject({ enabled: true, reason: 'start' })
    expect((await hub.get('/mcp/dissection/changes')).json.changes).toHaveLength(1)
    await hub.close()
  })

  it('keeps a confirmed change where another one comes while it is stored', async () => {
    const state = new FolderState(folder)
    const book = await ChangeLog.open(state, log)
    const stored = book.store(change(1))
    book.add({ ...change(2), reason: 'inactivity' })
    await stored
    await book.flush()
    const { changes } = await ChangeLog.open(state, log)
    expect(changes.map(({ at }) => at).sort()).toEqual([1, 2])
  })

  it('keeps the newest thousand', async () => {
    const state = new FolderState(folder)
    let book = await ChangeLog.open(state, log)
    for (let at = 0; at < 2500; at++) book.add(change(at))
    await book.flush()
    book = await ChangeLog.open(state, log)
    expect([book.changes.length, book.changes[0]!.at, book.changes.at(-1)!.at]).toEqual([1000, 2499, 1500])
  })

  it('begins anew where the document is damaged, and says so', async () => {
    await writeFile(join(folder, 'switch.json'), '{"changes":[{"at": 2, "ena')
    warned.length = 0
    const book = await ChangeLog.open(new FolderState(folder), log)
    expect([book.changes, warned]).toEqual([[], ['cannot read the changes of the indexing switch']])
  })
})
