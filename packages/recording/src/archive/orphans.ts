import type { ObjectStore, UploadPlan } from '@tapdeck/objects'
import { DATA, DISSECTIONS } from './archived.ts'

/** A hub that is at work may take this long between an object and the manifest that names it. */
const GRACE_MS = 24 * 3_600_000

export interface OrphanSweep {
  readonly objects: ObjectStore
  /** Ids of all manifests, and of snapshots that this hub is uploading. */
  readonly used: ReadonlySet<string>
  /** Runs that the state of a dissection names. */
  readonly runs: ReadonlySet<string>
  /** Ids of which this hub knows that nothing uses them any more. */
  readonly unused: ReadonlySet<string>
  /** What the last sweep found unnamed; replaced by those that this one finds. */
  readonly suspects: Set<string>
  readonly now: number
}

/**
 * Removes objects and uploads that neither a manifest nor the state of a dissection names. Those of other hubs must be a day old, and be found twice: a listing
 * may lag. Returns how many.
 */
export async function sweepOrphans(sweep: OrphanSweep): Promise<number> {
  const { objects, used, runs, unused, suspects, now } = sweep
  const found = new Map<string, { newest: number; keys: string[]; uploads: UploadPlan[] }>()
  const of = (key: string) => {
    const id = groupOf(key)
    const group = found.get(id) ?? { newest: 0, keys: [], uploads: [] }
    found.set(id, group)
    return group
  }
  for (const prefix of [DATA, DISSECTIONS])
    for await (const { key, modified } of objects.list(prefix)) {
      const group = of(key)
      group.keys.push(key)
      group.newest = Math.max(group.newest, modified)
    }
  for (const upload of await objects.uploads(DATA)) {
    const group = of(upload.key)
    group.uploads.push(upload)
    group.newest = Math.max(group.newest, upload.begun)
  }
  const before = new Set(suspects)
  suspects.clear()
  let removed = 0
  for (const [group, { newest, keys, uploads }] of found) {
    const [id = '', run] = group.split('/')
    if (used.has(id) && (run === undefined || runs.has(run))) continue
    if (!unused.has(id) && now - newest < GRACE_MS) continue
    if (!unused.has(id) && !before.has(group)) {
      suspects.add(group)
      continue
    }
    for (const upload of uploads) await objects.abortUpload(upload)
    await objects.remove(keys)
    removed += keys.length + uploads.length
  }
  return removed
}

/** What is used together: `<id>` of a snapshot, or `<id>/<run>` of a dissection. */
function groupOf(key: string): string {
  if (key.startsWith(DISSECTIONS)) return key.slice(DISSECTIONS.length).split('/')[0]!
  const [id = '', folder = '', run = '', ...file] = key.slice(DATA.length).split('/')
  return `${folder}/` === DISSECTIONS && file.length > 0 ? `${id}/${run}` : id
}
