import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { META, nodeState, type Stored, totalled } from './stored-snapshot.ts'

/** Deletes all files in the folder of a snapshot except its description. */
export async function discardFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== META) await rm(join(folder, name), { recursive: true, force: true })
}

/** The files that describe a snapshot without packets. */
export function discarded({ snapshot }: Stored, error: string): Stored {
  const nodes = snapshot.nodes.map(({ name }) => nodeState(name, 'failed'))
  const told = { ...snapshot, status: 'failed', error, events: { cluster: 0, os: 0 } } as const
  return { snapshot: totalled(told, nodes), files: [] }
}
