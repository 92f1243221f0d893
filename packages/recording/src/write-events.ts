import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskBudget } from './disk-budget.ts'
import { SnapshotWriter } from './snapshot-writer.ts'
import type { StoredEvents } from './stored-snapshot.ts'

/** Writes lines of events into a file of a snapshot; without any there is no file. Throws like the writer. */
export async function writeEvents(
  path: string,
  room: DiskBudget,
  write: (write: (lines: Uint8Array) => Promise<void>) => Promise<number>,
  finished: (written: Pick<StoredEvents, 'sha256' | 'size_bytes' | 'count'>) => Promise<void>,
): Promise<void> {
  let count = 0
  const writer = await SnapshotWriter.open(path, room, {
    finished: (sha256, _modified, { size_bytes }) => finished({ sha256, size_bytes, count }),
    aborted: async () => {},
  })
  try {
    count = await write((lines) => writer.write(lines))
    if (count === 0) await writer.abort('there are none')
    else await writer.finish({ packet_count: 0, dropped_packets: 0 })
  } catch (error) {
    await writer.abort(String(error))
    throw error
  }
}

/** Deletes the files of events in a folder; resolves to how many bytes they had. */
export async function removeEvents(folder: string, events: readonly StoredEvents[] = []): Promise<number> {
  for (const { file } of events) await rm(join(folder, file), { force: true })
  return events.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}
