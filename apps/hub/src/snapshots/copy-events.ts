import type { SnapshotStore } from '@tapdeck/recording'
import { collectsKeys } from '../cluster/sealing-feed.ts'
import { Slots } from '../cluster/slots.ts'
import type { Worker } from '../cluster/worker.ts'
import type { ClusterEvents } from '../events/cluster-events.ts'
import { type EventWindow, keepClusterEvents, keepOsEvents } from '../events/keep-events.ts'
import type { Log } from '../log.ts'
import type { SnapshotKeys } from './snapshot-keys.ts'

export interface EventCopy {
  readonly store: SnapshotStore
  /** Of the snapshot. */
  readonly name: string
  readonly window: EventWindow
  readonly workers: readonly Worker[]
  readonly clusterEvents: ClusterEvents
  readonly keys: SnapshotKeys
  readonly log: Log
  readonly signal?: AbortSignal | undefined
}

const NODES_AT_ONCE = 16

/**
 * Copies the events of a window, and the TLS secrets, into a snapshot. A snapshot without them is worth more than none:
 * what fails is logged.
 */
export async function copyEvents(copy: EventCopy): Promise<void> {
  const { store, name, window, workers, clusterEvents, keys, log, signal } = copy
  const failed = (error: unknown) =>
    log.warn({ snapshot: name, detail: String(error) }, 'cannot copy all events into a snapshot')
  const withoutSecrets = (error: unknown) =>
    log.warn({ snapshot: name, detail: String(error) }, 'cannot copy TLS secrets into a snapshot')
  await keepClusterEvents(store, name, window, clusterEvents).catch(failed)
  const slots = new Slots(NODES_AT_ONCE)
  await Promise.all(
    workers.map((worker) =>
      slots
        .use(async () => {
          await keepOsEvents(store, name, window, worker, signal).catch(failed)
          if (collectsKeys(worker)) await keys.keep(name, window, worker, signal)
        })
        .catch(withoutSecrets),
    ),
  )
}
