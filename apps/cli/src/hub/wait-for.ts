import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationOutput } from '@tapdeck/api'
import type { Terminal } from '../output/terminal.ts'
import type { HubClient } from './hub-client.ts'

const pollMs = 250

/** Polls until the snapshot is complete or has failed. */
export async function waitForSnapshot(
  hub: HubClient,
  name: string,
  terminal: Terminal,
): Promise<OperationOutput<'get_snapshot'>> {
  for (;;) {
    const snapshot = await hub.call('get_snapshot', { name })
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
    const dissection = await hub.call('get_snapshot_dissection', { snapshot, name })
    const isOver = dissection.status !== 'pending' && dissection.status !== 'running'
    const progress = `Dissection ${snapshot}/${name}: ${dissection.progress} %, ${dissection.call_count} calls`
    showProgress(terminal, isOver ? '' : progress)
    if (isOver) return dissection
    await sleep(pollMs)
  }
}

/** Progress is for a terminal; an empty line removes it. */
function showProgress(terminal: Terminal, line: string): void {
  if (terminal.noteIsScreen) terminal.status(line)
}
