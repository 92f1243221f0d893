import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
import { until } from '../testing/start-hub.ts'
import { ScriptStarts } from './script-starts.ts'

const log = { info() {}, warn() {}, error() {} } as never
let folder: string
let open: ScriptStarts[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-starts-'))
  open = []
})
afterEach(async () => {
  for (const starts of open) await starts.close()
  await rm(folder, { recursive: true })
})

/** As the next hub of the folder; those before that are not closed were killed. */
async function opened(cleanAfter?: number): Promise<ScriptStarts> {
  const starts = await ScriptStarts.open({
    state: new FolderState(folder),
    log,
    ...(cleanAfter !== undefined && { cleanAfter }),
  })
  open.push(starts)
  return starts
}

describe('the starts of scripts', () => {
  it('outlive a hub that is killed, until the script ran for a while or was stopped', async () => {
    const starts = await opened()
    await starts.begin('a')
    await starts.begin('b')
    await starts.end('b')
    const next = await opened()
    expect(next.reasonAgainst('a')).toMatch(/hub ended/)
    expect(next.reasonAgainst('b')).toBeUndefined()
    const clean = await opened(1)
    await clean.begin('a')
    await until(
      async () => (await opened()).reasonAgainst('a'),
      (reason) => reason === undefined,
    )
  })

  it('end with a hub that closes, except those of scripts that failed', async () => {
    const starts = await opened()
    await starts.begin('a')
    await starts.begin('b')
    await starts.failed('b', 'it was greedy')
    await starts.close()
    const next = await opened()
    expect([next.reasonAgainst('a'), next.reasonAgainst('b')]).toEqual([undefined, 'it was greedy'])
  })

  it('begin anew where they cannot be read', async () => {
    await new FolderState(folder).write('agent-scripts', '{"scripts": 1}')
    const starts = await opened()
    await starts.begin('a')
    expect((await opened()).reasonAgainst('a')).toMatch(/hub ended/)
  })
})
