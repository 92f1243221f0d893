import { eachLine, type SnapshotStore, timeOfLine } from '@tapdeck/recording'
import type { Worker } from '../cluster/worker.ts'
import type { ClusterEvents } from './cluster-events.ts'

const PIECE_WITHIN = 30_000

export interface EventWindow {
  /** Unix milliseconds. */
  readonly start: number
  readonly end: number
}

/** Keeps what a node recorded of its processes with a snapshot. A worker that knows no events gives none. */
export async function keepOsEvents(
  store: SnapshotStore,
  name: string,
  { start, end }: EventWindow,
  worker: Worker,
  signal?: AbortSignal,
): Promise<void> {
  await store.keepEvents(name, 'os', worker.node, async (write) => {
    const options = { patience: PIECE_WITHIN, ...(signal && { signal }) }
    const { count } = await worker.stream('event_window', { start, end }, write, options)
    return Number.isSafeInteger(count) && count > 0 ? count : 0
  })
}

/** Keeps what happened in the cluster in a window with a snapshot. */
export async function keepClusterEvents(
  store: SnapshotStore,
  name: string,
  { start, end }: EventWindow,
  events: ClusterEvents,
): Promise<void> {
  await store.keepEvents(name, 'cluster', undefined, async (write) => {
    let count = 0
    for await (const text of events.texts(start, end)) {
      const lines: Buffer[] = []
      eachLine(text, (at, until) => {
        const time = timeOfLine(text, at, until)
        if (time !== undefined && time >= start && time <= end) lines.push(text.subarray(at, until + 1))
      })
      count += lines.length
      if (lines.length > 0) await write(Buffer.concat(lines))
    }
    return count
  })
}
