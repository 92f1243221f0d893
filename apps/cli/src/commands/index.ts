import type { AnyCommand } from '../command.ts'
import { agentCreate } from './agent-create.ts'
import { agentDelete } from './agent-delete.ts'
import { agentDisable } from './agent-disable.ts'
import { agentEnable } from './agent-enable.ts'
import { agentList } from './agent-list.ts'
import { agentStatus } from './agent-status.ts'
import { attach } from './attach.ts'
import { calls } from './calls.ts'
import { capture } from './capture.ts'
import { completion } from './completion.ts'
import { configCheck } from './config-check.ts'
import { configPrint } from './config-print.ts'
import { dashboard } from './dashboard.ts'
import { demo } from './demo.ts'
import { diff } from './diff.ts'
import { dissect } from './dissect.ts'
import { dissectJob } from './dissect-job.ts'
import { dissectionDelete } from './dissection-delete.ts'
import { dissectionList } from './dissection-list.ts'
import { dissectionStart } from './dissection-start.ts'
import { dissectionStatus } from './dissection-status.ts'
import { dissectionStop } from './dissection-stop.ts'
import { events } from './events.ts'
import { exportCommand } from './export.ts'
import { extcap } from './extcap.ts'
import { flows } from './flows.ts'
import { hub } from './hub.ts'
import { importCaptures } from './import.ts'
import { inventorySet } from './inventory-set.ts'
import { kflCheck } from './kfl-check.ts'
import { kflExplain } from './kfl-explain.ts'
import { kflFields } from './kfl-fields.ts'
import { kflFormat } from './kfl-format.ts'
import { mcp } from './mcp.ts'
import { nodes } from './nodes.ts'
import { operationCommands } from './operation-commands.ts'
import { proxy } from './proxy.ts'
import { recorder } from './recorder.ts'
import { recordingDelete } from './recording-delete.ts'
import { recordingList } from './recording-list.ts'
import { recordingStart } from './recording-start.ts'
import { recordingStop } from './recording-stop.ts'
import { snapshotCreate } from './snapshot-create.ts'
import { snapshotDelete } from './snapshot-delete.ts'
import { snapshotGet } from './snapshot-get.ts'
import { snapshotList } from './snapshot-list.ts'
import { snapshotPcap } from './snapshot-pcap.ts'
import { snapshotUpdate } from './snapshot-update.ts'
import { stats } from './stats.ts'
import { status } from './status.ts'
import { tokenCreate } from './token-create.ts'
import { tokenList } from './token-list.ts'
import { tokenRevoke } from './token-revoke.ts'
import { tokenWorker } from './token-worker.ts'
import { up } from './up.ts'
import { version } from './version.ts'
import { worker } from './worker.ts'

/** Commands that are written by hand, in the order of help. */
const written: readonly AnyCommand[] = [
  up,
  hub,
  worker,
  status,
  nodes,
  proxy,
  dashboard,
  attach,
  recorder,
  demo,
  dissect,
  dissectJob,
  importCaptures,
  snapshotCreate,
  snapshotList,
  snapshotGet,
  snapshotPcap,
  snapshotUpdate,
  snapshotDelete,
  dissectionStart,
  dissectionStatus,
  dissectionList,
  dissectionStop,
  dissectionDelete,
  recordingStart,
  recordingStop,
  recordingList,
  recordingDelete,
  agentCreate,
  agentList,
  agentStatus,
  agentEnable,
  agentDisable,
  agentDelete,
  calls,
  stats,
  diff,
  flows,
  events,
  exportCommand,
  capture,
  extcap,
  inventorySet,
  mcp,
  kflCheck,
  kflExplain,
  kflFormat,
  kflFields,
  tokenCreate,
  tokenList,
  tokenRevoke,
  tokenWorker,
  configPrint,
  configCheck,
]

const generated = operationCommands(written)

/** All commands, in the order of help: groups (`snapshot …`) together, then those made from operations alone. */
const allCommands: AnyCommand[] = []
for (const one of [...written, ...generated]) {
  const group = one.name.split(' ')[0]
  const last = allCommands.findLastIndex(({ name }) => name.split(' ')[0] === group)
  allCommands.splice(last < 0 ? allCommands.length : last + 1, 0, one)
}
allCommands.push(completion(allCommands), version)

export const commands: readonly AnyCommand[] = allCommands
