import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationOutput } from '@tapdeck/api'
import type { HubClient } from './hub-client.ts'

const pollMs = 250

/** Polls until the snapshot is complete or has failed. */
export async function waitForSnapshot(
  hub: HubClient,
  name: string,
): Promise<OperationOutput<'get_snapshot'>> {
  for (;;) {
    const snapshot = await hub.call('get_snapshot', { name })
    if (snapshot.status === 'completed' || snapshot.status === 'failed') return snapshot
    await sleep(pollMs)
  }
}

/** Polls until the dissection has ended in one way or another. */
export async function waitForDissection(
  hub: HubClient,
  snapshot: string,
  name: string,
): Promise<OperationOutput<'get_snapshot_dissection'>> {
  for (;;) {
    const dissection = await hub.call('get_snapshot_dissection', { snapshot, name })
    if (dissection.status !== 'pending' && dissection.status !== 'running') return dissection
    await sleep(pollMs)
  }
}
