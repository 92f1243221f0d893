import { type Operation, operations, Problem } from '@tapdeck/api'
import { lackedOf } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { databaseOf } from '../recordings/database-of.ts'
import type { RecordingRecord } from '../recordings/recording-record.ts'
import type { HubServices } from './hub-services.ts'

type Services = Pick<HubServices, 'recordings'>

/** The snapshot of a recording is its packets: deleting it, or taking its name, needs what deleting the recording needs. */
export function requireSnapshotRight(snapshot: string, { recordings }: Services, caller: Caller): void {
  const owner = recordings.ownerOf(snapshot)
  if (owner) requireRight(`Snapshot "${snapshot}"`, owner, caller)
}

/** So does making a snapshot of the name that a recording will need at its end. */
export function requireNameRight(snapshot: string, { recordings }: Services, caller: Caller): void {
  const owner = recordings.list().find(({ name }) => databaseOf(name).snapshot === snapshot)
  if (owner) requireRight(`The name "${snapshot}"`, owner, caller)
}

/** And so does replacing, stopping or deleting the dissection that is its database. Others of the same packets are free. */
export function requireDatabaseRight(
  snapshot: string,
  dissection: string,
  { recordings }: Services,
  caller: Caller,
): void {
  const owner = recordings.ownerOf(snapshot)
  if (owner && databaseOf(owner.name).dissection === dissection)
    requireRight(`The database "${snapshot}/${dissection}"`, owner, caller)
}

function requireRight(what: string, { name }: RecordingRecord, caller: Caller): void {
  const { capability }: Operation = operations.delete_recording
  const needed = typeof capability === 'function' ? capability({ name }) : capability
  const [missing] = needed === undefined ? [] : lackedOf(needed, caller)
  if (missing === undefined) return
  const { role } = caller
  throw new Problem(
    403,
    'missing_capability',
    `${what} belongs to the recording "${name}", and the role "${role}" lacks the capability ${missing}`,
    { missing, role, recording: name, hint: 'Use a role that may delete recordings.' },
  )
}
