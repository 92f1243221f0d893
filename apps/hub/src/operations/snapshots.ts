import { Problem, type shapes } from '@tapdeck/api'
import type { Snapshot } from '@tapdeck/recording'
import type { z } from 'zod'
import { importByPath } from '../snapshots/import-by-path.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { noteMissingNodes } from './answer-notes.ts'
import type { Handler } from './handler.ts'
import { requireNameRight, requireSnapshotRight } from './require-recording-right.ts'

export const createSnapshot: Handler<'create_snapshot'> = async (input, services, { caller }) => {
  const { name, duration, start, end, nodes } = input
  const { snapshots } = services
  requireNameRight(name, services, caller)
  const { status } = await snapshots.create(name, { duration, start, end }, nodes)
  return { success: true, name, status }
}

export const importSnapshot: Handler<'import_snapshot'> = async (input, services, { bytes, caller }) => {
  const { path, ...request } = input
  const { snapshots } = services
  requireNameRight(input.name, services, caller)
  if (path !== undefined) {
    const imported = await importByPath(snapshots.importFolder, path)
    return shown(await snapshots.import({ ...request, bytes: imported }), snapshots)
  }
  if (bytes === undefined)
    throw new Problem(400, 'not_a_capture', 'The body is empty', { hint: 'Send a pcap or pcapng file.' })
  return shown(await snapshots.import({ ...request, bytes: iterate(bytes) }), snapshots)
}

export const listSnapshots: Handler<'list_snapshots'> = (_input, { snapshots }) => ({
  snapshots: snapshots.list().map((snapshot) => shown(snapshot, snapshots)),
})

export const getSnapshot: Handler<'get_snapshot'> = ({ name }, { snapshots }) =>
  shown(snapshots.get(name), snapshots)

export const deleteSnapshot: Handler<'delete_snapshot'> = async ({ name, force }, services, { caller }) => {
  const { snapshots, dissections } = services
  snapshots.get(name)
  requireSnapshotRight(name, services, caller)
  const below = dissections.list(name)
  if (below.length > 0 && !force)
    throw new Problem(409, 'has_dissections', `Snapshot "${name}" has ${below.length} dissections`, {
      hint: 'Delete them first, or delete with force.',
    })
  await dissections.forgetSnapshot(name, () => snapshots.remove(name, force))
  return { success: true, name }
}

export const updateSnapshot: Handler<'update_snapshot'> = async (
  { name, new_name, tags, notes },
  services,
  { caller },
) => {
  const { snapshots, dissections } = services
  snapshots.get(name)
  if (new_name !== undefined && new_name !== name) {
    requireSnapshotRight(name, services, caller)
    requireNameRight(new_name, services, caller)
  }
  if (tags !== undefined || notes !== undefined)
    await snapshots.remark(name, {
      ...(tags && { tags: [...new Set(tags)] }),
      ...(notes !== undefined && { notes }),
    })
  if (new_name === undefined || new_name === name) return shown(snapshots.get(name), snapshots)
  await dissections.moveSnapshot(name, new_name, () => snapshots.rename(name, new_name))
  return shown(snapshots.get(new_name), snapshots)
}

function shown(snapshot: Snapshot, snapshots: Snapshots): z.input<typeof shapes.snapshot> {
  const { gaps, losses, ...rest } = snapshot
  return {
    ...rest,
    ...snapshots.bucket?.placeOf(snapshot.name),
    nodes: snapshot.nodes.map(({ covered: _, ...node }) => node),
    tags: [...snapshot.tags],
    ...(gaps && { gaps: [...gaps] }),
    ...noteMissingNodes([], gaps ?? []),
    ...(losses && { losses: [...losses] }),
  }
}

async function* iterate(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
