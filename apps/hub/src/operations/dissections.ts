import { Problem } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import type { Caller } from '../access/caller.ts'
import { seesDecrypted } from '../access/visibility.ts'
import type { DissectionRecord } from '../dissections/dissection-record.ts'
import { assertNoRedactedFields } from '../query/redacted-source.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import { requireDatabaseRight } from './require-recording-right.ts'

export const startDissection: Handler<'start_snapshot_dissection'> = async (input, services, { caller }) => {
  const { dissections } = services
  requireDatabaseRight(input.snapshot_name, input.dissection_name, services, caller)
  requireAllowedFilter(input.kfl, services, caller)
  // Without the right, neither counts nor a filter can say anything about what is encrypted.
  const decrypt = seesDecrypted(caller)
  const { snapshot_name, dissection_name, status } = await dissections.start({ ...input, decrypt })
  return { success: true, snapshot_name, dissection_name, status }
}

/** Throws where a filter is wrong, or reads what the caller may not see: the number of calls that match would tell. */
export function requireAllowedFilter(
  kfl: string | undefined,
  { redactions, catalog, now }: HubServices,
  caller: Caller,
): void {
  if (kfl === undefined) return
  compile(kfl, catalog, now())
  if (redactions.of(caller)) assertNoRedactedFields(kfl, catalog, now())
}

/** The named one; the newest of a snapshot where only that is given; the newest of all without names. */
export const getDissectionJobStatus: Handler<'get_snapshot_dissection_status'> = (
  input,
  { dissections, snapshots },
  { caller },
) => {
  const { snapshot_name, dissection_name } = input
  if (snapshot_name !== undefined && dissection_name !== undefined)
    return shown(dissections.get(snapshot_name, dissection_name), snapshots, caller)
  const latest = dissections
    .list(snapshot_name)
    .find((record) => dissection_name === undefined || record.dissection_name === dissection_name)
  if (latest) return shown(latest, snapshots, caller)
  if (snapshot_name !== undefined) snapshots.get(snapshot_name)
  throw new Problem(404, 'unknown_dissection', 'Unknown dissection', {
    hint: 'Start one with POST /delayed_dissection.DelayedDissection/Start.',
  })
}

export const listDissections: Handler<'list_snapshot_dissections'> = (
  { snapshot },
  { dissections, snapshots },
  { caller },
) => {
  if (snapshot !== undefined) snapshots.get(snapshot)
  return { dissections: dissections.list(snapshot).map((record) => shown(record, snapshots, caller)) }
}

export const getDissection: Handler<'get_snapshot_dissection'> = (
  { snapshot, name },
  { dissections, snapshots },
  { caller },
) => shown(dissections.get(snapshot, name), snapshots, caller)

export const stopDissection: Handler<'stop_snapshot_dissection'> = async (
  { snapshot, name },
  services,
  { caller },
) => {
  requireDatabaseRight(snapshot, name, services, caller)
  const { status } = await services.dissections.stop(snapshot, name)
  return { success: true, snapshot_name: snapshot, dissection_name: name, status }
}

export const deleteDissection: Handler<'delete_snapshot_dissection'> = async (
  { snapshot, name },
  services,
  { caller },
) => {
  requireDatabaseRight(snapshot, name, services, caller)
  await services.dissections.remove(snapshot, name)
  return { success: true, snapshot_name: snapshot, dissection_name: name }
}

function shown(record: DissectionRecord, snapshots: Snapshots, caller: Caller) {
  const { created_at, size_bytes, attempts, kfl, protocols, nodes, node_ips, capture_source, ...rest } =
    record
  const { decrypt, decrypted_counts, run, ...status } = rest
  const gaps = snapshots.find(rest.snapshot_name)?.gaps
  const counts = seesDecrypted(caller) ? {} : plainCounts(record)
  return { ...status, ...counts, ...(gaps && { gaps: [...gaps] }) }
}

/** The counts without calls that were decrypted. */
function plainCounts({ call_count, protocol_counts, decrypted_counts }: DissectionRecord) {
  const hidden = Object.values(decrypted_counts).reduce((sum, count) => sum + count, 0)
  const plain = Object.entries(protocol_counts)
    .map(([name, count]) => [name, count - (decrypted_counts[name] ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return { call_count: call_count - hidden, protocol_counts: Object.fromEntries(plain) }
}
