import type { AnyCommand } from '../command.ts'
import { calls } from './calls.ts'
import { configCheck } from './config-check.ts'
import { configPrint } from './config-print.ts'
import { demo } from './demo.ts'
import { dissect } from './dissect.ts'
import { dissectionDelete } from './dissection-delete.ts'
import { dissectionList } from './dissection-list.ts'
import { dissectionStart } from './dissection-start.ts'
import { dissectionStatus } from './dissection-status.ts'
import { dissectionStop } from './dissection-stop.ts'
import { flows } from './flows.ts'
import { hub } from './hub.ts'
import { importCaptures } from './import.ts'
import { kflCheck } from './kfl-check.ts'
import { kflFields } from './kfl-fields.ts'
import { snapshotCreate } from './snapshot-create.ts'
import { snapshotDelete } from './snapshot-delete.ts'
import { snapshotGet } from './snapshot-get.ts'
import { snapshotList } from './snapshot-list.ts'
import { snapshotPcap } from './snapshot-pcap.ts'
import { stats } from './stats.ts'
import { up } from './up.ts'
import { version } from './version.ts'
import { worker } from './worker.ts'

/** THE list of commands, in the order of help. */
export const commands: readonly AnyCommand[] = [
  up,
  hub,
  worker,
  demo,
  dissect,
  importCaptures,
  snapshotCreate,
  snapshotList,
  snapshotGet,
  snapshotPcap,
  snapshotDelete,
  dissectionStart,
  dissectionStatus,
  dissectionList,
  dissectionStop,
  dissectionDelete,
  calls,
  stats,
  flows,
  kflCheck,
  kflFields,
  configPrint,
  configCheck,
  version,
]
