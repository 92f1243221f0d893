import type { OperationName } from '@tapdeck/api'
import { getStatus, whoami } from './about.ts'
import { getApiCall, listApiCalls } from './calls.ts'
import { getDataBoundaries } from './data-boundaries.ts'
import { listDatabases } from './databases.ts'
import {
  disableDissection,
  enableDissection,
  getDissectionStatus,
  getSwitch,
  listSwitchChanges,
} from './dissection-switch.ts'
import {
  deleteDissection,
  getDissection,
  getDissectionJobStatus,
  listDissections,
  startDissection,
  stopDissection,
} from './dissections.ts'
import { exportSnapshotPcap } from './export-snapshot-pcap.ts'
import { getL4FlowSummary } from './flow-summary.ts'
import { listL4Flows } from './flows.ts'
import type { Handler } from './handler.ts'
import { checkKfl, completeKfl, listKflFields } from './kfl.ts'
import { getInventory, listIps, listWorkloads, setInventory } from './names.ts'
import { createSnapshot, deleteSnapshot, getSnapshot, importSnapshot, listSnapshots } from './snapshots.ts'
import { getApiStats } from './stats.ts'

/** What each operation of the table does. One that is missing here does not compile. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  get_dissection_status: getDissectionStatus,
  get_switch: getSwitch,
  enable_dissection: enableDissection,
  disable_dissection: disableDissection,
  list_switch_changes: listSwitchChanges,
  get_data_boundaries: getDataBoundaries,
  create_snapshot: createSnapshot,
  import_snapshot: importSnapshot,
  list_snapshots: listSnapshots,
  get_snapshot: getSnapshot,
  delete_snapshot: deleteSnapshot,
  export_snapshot_pcap: exportSnapshotPcap,
  start_snapshot_dissection: startDissection,
  get_snapshot_dissection_status: getDissectionJobStatus,
  list_snapshot_dissections: listDissections,
  get_snapshot_dissection: getDissection,
  stop_snapshot_dissection: stopDissection,
  delete_snapshot_dissection: deleteDissection,
  list_databases: listDatabases,
  list_api_calls: listApiCalls,
  get_api_call: getApiCall,
  get_api_stats: getApiStats,
  list_l4_flows: listL4Flows,
  get_l4_flow_summary: getL4FlowSummary,
  list_workloads: listWorkloads,
  list_ips: listIps,
  whoami,
  get_status: getStatus,
  list_kfl_fields: listKflFields,
  check_kfl: checkKfl,
  complete_kfl: completeKfl,
  get_inventory: getInventory,
  set_inventory: setInventory,
}
