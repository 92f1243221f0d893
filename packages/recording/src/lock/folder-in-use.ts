import { hostname } from 'node:os'
import { describeHolder, type LockRecord } from './lock-record.ts'

/** The kinds of process that use a data folder. One of each may use it at a time. */
export type FolderUser = 'hub' | 'worker'
/** An export uses the folder that it writes into. */
export type LockUser = FolderUser | 'export'

/** The option that names the folder. */
export const folderOption: Readonly<Record<LockUser, string>> = {
  hub: '--data',
  worker: '--data',
  export: '--parquet',
}

/** Another process of the same kind uses the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'

  constructor(folder: string, user: LockUser, holder: LockRecord | undefined) {
    super(
      `another ${user} uses ${folder}: it is locked ${describeHolder(holder)}. ${adviceOn(holder)}, or choose another folder with ${folderOption[user]}.`,
    )
  }
}

function adviceOn(holder: LockRecord | undefined): string {
  if (!holder) return 'Stop that process'
  return holder.host === hostname() ? `Stop it with: kill ${holder.pid}` : `Stop it on ${holder.host}`
}
