import type { Inventory } from '@tapdeck/inventory'
import type { SnapshotCapture } from '@tapdeck/recording'
import type { SnapshotSecret } from '../snapshots/snapshot-keys.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { DissectionRecord } from './dissection-record.ts'
import type { DissectionTask } from './dissection-task.ts'

const INDEX_MEMORY = 512 * 1024 * 1024

/** What a dissection reads of its snapshot. */
export interface TaskSources {
  readonly files: DissectionTask['files']
  readonly inventory: Inventory
  /** The first address of each node, by its name. */
  readonly nodeAddresses: Record<string, string>
}

/** What the sources of a task are read from; without `keys`, no secrets are read. */
type SourceReader = Pick<Snapshots, 'names' | 'eventFiles'> & Partial<Pick<Snapshots, 'keys'>>

export async function readTaskSources(
  snapshots: SourceReader,
  { snapshot_name, decrypt }: DissectionRecord,
  captures: readonly SnapshotCapture[],
): Promise<TaskSources> {
  const inventory = await snapshots.names(snapshot_name)
  const secrets = new Map<string, readonly SnapshotSecret[] | undefined>()
  if (decrypt)
    for (const { node } of captures) secrets.set(node, await snapshots.keys?.read(snapshot_name, node))
  const events = new Map(snapshots.eventFiles(snapshot_name).map(({ node, path }) => [node, path]))
  return {
    files: captures.map(({ node, paths, size_bytes }) => {
      const [eventFile, opening] = [events.get(node), secrets.get(node)]
      return {
        ...{ node, paths, size_bytes },
        ...(eventFile !== undefined && { events: eventFile }),
        ...(opening && { secrets: opening }),
      }
    }),
    inventory,
    nodeAddresses: addressesOf(inventory),
  }
}

type TaskSettings = Pick<
  DissectionTask,
  'folder' | 'bodyBytes' | 'redaction' | 'credentialKey' | 'now' | 'threads'
>

/** The work of a job. */
export function taskOf(
  record: DissectionRecord,
  { files, inventory }: TaskSources,
  settings: TaskSettings,
): DissectionTask {
  return {
    ...settings,
    files,
    inventory,
    captureSource: record.capture_source,
    kfl: record.kfl,
    decrypt: record.decrypt,
    protocols: record.protocols,
    memory: INDEX_MEMORY,
  }
}

function addressesOf({ nodes = [] }: Inventory): Record<string, string> {
  return Object.fromEntries(nodes.flatMap(({ name, ips }) => (ips.length > 0 ? [[name, ips[0]!]] : [])))
}
