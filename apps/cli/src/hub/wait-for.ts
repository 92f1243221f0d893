import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationOutput } from '@tapdeck/api'
import type { Terminal } from '../output/terminal.ts'
import type { HubClient } from './hub-client.ts'
import { BrokenAnswer, LostConnection } from './lost-connection.ts'

const pollMs = 250
/** A hub that restarts is away for seconds: polls that get no answer are repeated after so many milliseconds each. */
const AWAY_MS = [500, 1000, 2000, 4000, 8000, 8000]

/** Polls until the snapshot is complete or has failed. */
export async function waitForSnapshot(
  hub: HubClient,
  name: string,
  terminal: Terminal,
): Promise<OperationOutput<'get_snapshot'>> {
  for (;;) {
    const snapshot = await patiently(() => hub.call('get_snapshot', { name }), terminal)
    const isOver = snapshot.status === 'completed' || snapshot.status === 'failed'
    showProgress(terminal, isOver ? '' : `Snapshot ${name}: ${snapshot.progress} %`)
    if (isOver) return snapshot
    await sleep(pollMs)
  }
}

/** Polls until the dissection has ended in one way or another. */
export async function waitForDissection(
  hub: HubClient,
  snapshot: string,
  name: string,
  terminal: Terminal,
): Promise<OperationOutput<'get_snapshot_dissection'>> {
  for (;;) {
    const dissection = await patiently(
      () => hub.call('get_snapshot_dissection', { snapshot, name }),
      terminal,
    )
    const isOver = dissection.status !== 'pending' && dissection.status !== 'running'
    const progress = `Dissection ${snapshot}/${name}: ${dissection.progress} %, ${dissection.call_count} calls`
    showProgress(terminal, isOver ? '' : progress)
    if (isOver) return dissection
    await sleep(pollMs)
  }
}

/** The hub has answered before: what it does goes on, or continues after its restart. */
async function patiently<Answer>(ask: () => Promise<Answer>, terminal: Terminal): Promise<Answer> {
  for (const wait of AWAY_MS) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof LostConnection || error instanceof BrokenAnswer)) throw error
      terminal.note(`${error.message}; trying again`)
      await sleep(wait)
    }
  }
  return ask()
}

/** Progress is for a terminal; an empty line removes it. */
function showProgress(terminal: Terminal, line: string): void {
  if (terminal.noteIsScreen) terminal.status(line)
}
