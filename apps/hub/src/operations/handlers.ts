import type { OperationName } from '@tapdeck/api'
import { getStatus, whoami } from './about.ts'
import { createToken, listAuditEntries, listRoles, listTokens, revokeToken } from './access.ts'
import {
  createAgent,
  deleteAgent,
  disableAgent,
  enableAgent,
  getAgent,
  listAgentHistory,
  listAgents,
  testAgentOperation,
  updateAgent,
} from './agents.ts'
import { getApiCall, listApiCalls } from './calls.ts'
import { captureAndDissect } from './capture-and-dissect.ts'
import { getDataBoundaries } from './data-boundaries.ts'
import { listDatabases } from './databases.ts'
import { diffApiCalls } from './diff.ts'
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
import { listEvents } from './events.ts'
import { explainCall } from './explain.ts'
import { exportSnapshotPcap } from './export-snapshot-pcap.ts'
import { getL4FlowSummary } from './flow-summary.ts'
import { listL4Flows } from './flows.ts'
import type { Handler } from './handler.ts'
import { checkKfl, completeKfl, explainKfl, listKflFields } from './kfl.ts'
import { getInventory, listIps, listWorkloads, setInventory } from './names.ts'
import { admitRecorder } from './recorders.ts'
import { deleteRecording, getRecording, listRecordings, startRecording, stopRecording } from './recordings.ts'
import { deleteSavedFilter, listSavedFilters, saveFilter } from './saved-filters.ts'
import { searchFields } from './search-fields.ts'
import { getConfiguration, previewRedaction } from './settings.ts'
import {
  createSnapshot,
  deleteSnapshot,
  getSnapshot,
  importSnapshot,
  listSnapshots,
  updateSnapshot,
} from './snapshots.ts'
import { getApiStats } from './stats.ts'
import { streamPackets } from './stream-packets.ts'
import { findSuspectsOperation } from './suspects.ts'
import { getTargets, previewTargets, resetTargets, setTargets } from './targets.ts'
import { getTopology } from './topology.ts'

/** What each operation of the table does. One that is missing here does not compile. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  get_dissection_status: getDissectionStatus,
  get_switch: getSwitch,
  enable_dissection: enableDissection,
  disable_dissection: disableDissection,
  list_switch_changes: listSwitchChanges,
  get_data_boundaries: getDataBoundaries,
  create_snapshot: createSnapshot,
  capture_and_dissect: captureAndDissect,
  stream_packets: streamPackets,
  import_snapshot: importSnapshot,
  list_snapshots: listSnapshots,
  get_snapshot: getSnapshot,
  delete_snapshot: deleteSnapshot,
  update_snapshot: updateSnapshot,
  export_snapshot_pcap: exportSnapshotPcap,
  start_snapshot_dissection: startDissection,
  get_snapshot_dissection_status: getDissectionJobStatus,
  list_snapshot_dissections: listDissections,
  get_snapshot_dissection: getDissection,
  stop_snapshot_dissection: stopDissection,
  delete_snapshot_dissection: deleteDissection,
  start_recording: startRecording,
  list_recordings: listRecordings,
  get_recording: getRecording,
  stop_recording: stopRecording,
  delete_recording: deleteRecording,
  create_agent: createAgent,
  list_agents: listAgents,
  get_agent: getAgent,
  update_agent: updateAgent,
  test_agent: testAgentOperation,
  list_agent_history: listAgentHistory,
  enable_agent: enableAgent,
  disable_agent: disableAgent,
  delete_agent: deleteAgent,
  list_databases: listDatabases,
  list_api_calls: listApiCalls,
  get_api_call: getApiCall,
  get_api_stats: getApiStats,
  diff_api_calls: diffApiCalls,
  get_topology: getTopology,
  find_suspects: findSuspectsOperation,
  explain_call: explainCall,
  list_events: listEvents,
  list_l4_flows: listL4Flows,
  get_l4_flow_summary: getL4FlowSummary,
  get_targets: getTargets,
  preview_targets: previewTargets,
  set_targets: setTargets,
  reset_targets: resetTargets,
  list_workloads: listWorkloads,
  list_ips: listIps,
  whoami,
  get_status: getStatus,
  list_kfl_fields: listKflFields,
  check_filter: checkKfl,
  search_fields: searchFields,
  complete_kfl: completeKfl,
  explain_kfl: explainKfl,
  list_saved_filters: listSavedFilters,
  save_filter: saveFilter,
  delete_saved_filter: deleteSavedFilter,
  get_inventory: getInventory,
  set_inventory: setInventory,
  list_tokens: listTokens,
  create_token: createToken,
  revoke_token: revokeToken,
  list_roles: listRoles,
  list_audit_entries: listAuditEntries,
  admit_recorder: admitRecorder,
  get_configuration: getConfiguration,
  preview_redaction: previewRedaction,
}
