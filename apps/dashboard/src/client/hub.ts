import type { OperationOutput } from '@tapdeck/api'
import type { TimeWindow } from '../time/time-window.ts'
import type { CallDetails } from './call-details.ts'
import { addressOf, callOperation, type OperationParameters } from './call-operation.ts'
import { request, requestHead } from './request.ts'
import { upload } from './upload.ts'

export type Whoami = OperationOutput<'whoami'>
export type SwitchState = OperationOutput<'get_switch'>
export type Explanation = OperationOutput<'explain_call'>
export type CallPage = OperationOutput<'list_api_calls'>
export type Snapshot = OperationOutput<'get_snapshot'>
export type Dissection = OperationOutput<'get_snapshot_dissection'>
export type Recording = OperationOutput<'get_recording'>
export type Agent = OperationOutput<'get_agent'>
export type StatsGroup = OperationOutput<'get_api_stats'>['groups'][number]
export type KflCheck = OperationOutput<'check_filter'>
export type KflCompletion = OperationOutput<'complete_kfl'>
export type KflField = OperationOutput<'list_kfl_fields'>['fields'][number]

export interface CallPageQuery {
  readonly db?: string | undefined
  readonly kfl: string
  /** Unix milliseconds. */
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
  readonly order?: 'newest' | 'oldest'
  readonly format?: 'compact' | 'full'
  /** Only these fields, comma-separated. */
  readonly fields?: string
}

/** A window of the recording: the latest so long, or from one time to another (Unix milliseconds). */
export type SnapshotWindow = { readonly duration: string } | { readonly start: number; readonly end: number }

type PcapChoice = OperationParameters<'export_snapshot_pcap'>
type StartRecording = OperationParameters<'start_recording'>
type StatsGroupBy = NonNullable<OperationParameters<'get_api_stats'>['group_by']>

export interface StatsQuestion {
  readonly db: string | undefined
  readonly kfl: string
  readonly by: StatsGroupBy
  /** Unix milliseconds. */
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly limit?: number
}

/** The operations that the dashboard uses, and the login. */
export const hub = {
  whoami: (signal?: AbortSignal) => callOperation('whoami', {}, signal),

  loginWays: (signal?: AbortSignal) =>
    request<{ readonly enabled: boolean; readonly oidc: boolean }>('/auth/options', { signal }),
  logIn: (token: string) => request<unknown>('/auth/session', { method: 'POST', body: { token } }),
  /** `next`: where the identity provider ends its own session. */
  logOut: () => request<{ readonly next?: string }>('/auth/logout', { method: 'POST' }),

  status: (signal?: AbortSignal) => callOperation('get_status', {}, signal),

  switchState: (signal?: AbortSignal) => callOperation('get_switch', {}, signal),
  turnSwitch: (on: boolean) => callOperation(on ? 'enable_dissection' : 'disable_dissection', {}),

  calls: (query: CallPageQuery, signal?: AbortSignal) => callOperation('list_api_calls', query, signal),
  call: (id: string, db: string | undefined, signal?: AbortSignal) =>
    callOperation('get_api_call', { id, db }, signal) as Promise<CallDetails>,
  explainCall: (id: string, db: string | undefined, signal?: AbortSignal) =>
    callOperation('explain_call', { id, db }, signal),

  stats: ({ by, limit = 500, ...question }: StatsQuestion, signal?: AbortSignal) =>
    callOperation('get_api_stats', { ...question, group_by: by, limit }, signal),

  flows: (window: Partial<TimeWindow> & { db: string | undefined }, signal?: AbortSignal) =>
    callOperation('list_l4_flows', { ...window, limit: 500, format: 'full' }, signal),
  events: (query: OperationParameters<'list_events'>, signal?: AbortSignal) =>
    callOperation('list_events', query, signal),

  topology: (query: OperationParameters<'get_topology'>, signal?: AbortSignal) =>
    callOperation('get_topology', query, signal),

  diff: (query: OperationParameters<'diff_api_calls'>, signal?: AbortSignal) =>
    callOperation('diff_api_calls', query, signal),
  suspects: (query: OperationParameters<'find_suspects'>, signal?: AbortSignal) =>
    callOperation('find_suspects', query, signal),

  targets: (signal?: AbortSignal) => callOperation('get_targets', {}, signal),
  previewTargets: (pods: OperationParameters<'preview_targets'>, signal?: AbortSignal) =>
    callOperation('preview_targets', pods, signal),
  setTargets: (targets: OperationParameters<'set_targets'>) => callOperation('set_targets', targets),
  resetTargets: () => callOperation('reset_targets', {}),
  switchChanges: (signal?: AbortSignal) => callOperation('list_switch_changes', {}, signal),

  kflFields: (signal?: AbortSignal) => callOperation('list_kfl_fields', {}, signal),
  checkKfl: (kfl: string, signal?: AbortSignal) => callOperation('check_filter', { kfl }, signal),
  completeKfl: (kfl: string, cursor: number, db: string | undefined, signal?: AbortSignal) =>
    callOperation('complete_kfl', { kfl, cursor, db }, signal),

  savedFilters: (signal?: AbortSignal) => callOperation('list_saved_filters', {}, signal),
  saveFilter: (name: string, kfl: string) => callOperation('save_filter', { name, kfl }),
  deleteSavedFilter: (name: string) => callOperation('delete_saved_filter', { name }),

  boundaries: (signal?: AbortSignal) => callOperation('get_data_boundaries', {}, signal),
  snapshots: (signal?: AbortSignal) => callOperation('list_snapshots', {}, signal),
  snapshot: (name: string, signal?: AbortSignal) => callOperation('get_snapshot', { name }, signal),
  createSnapshot: (name: string, window: SnapshotWindow) =>
    callOperation('create_snapshot', { name, ...window }),
  deleteSnapshot: (name: string, force: boolean) =>
    callOperation('delete_snapshot', { name, force: force ? 'true' : undefined }),
  updateSnapshot: (name: string, change: { new_name?: string; tags: readonly string[]; notes: string }) =>
    callOperation('update_snapshot', { name, ...change, tags: [...change.tags] }),
  importSnapshot: (
    input: OperationParameters<'import_snapshot'>,
    file: Blob,
    onProgress: (sent: number) => void,
  ) => upload(addressOf('import_snapshot', input), file, onProgress),
  pcapAddress: (wanted: PcapChoice) => addressOf('export_snapshot_pcap', wanted),
  /** Throws where the hub refuses what is wanted; nothing is downloaded. */
  checkPcap: (wanted: PcapChoice) => requestHead(addressOf('export_snapshot_pcap', wanted)),
  /** The packets of the connection of a call, from the snapshot of its dissection. */
  callPcapAddress: (db: string, call: string) => {
    const [name = '', dissection = ''] = db.split('/')
    return addressOf('export_snapshot_pcap', { name, call, dissection })
  },

  recordings: (signal?: AbortSignal) => callOperation('list_recordings', {}, signal),
  startRecording: (recording: StartRecording) => callOperation('start_recording', recording),
  stopRecording: (name: string) => callOperation('stop_recording', { name }),
  deleteRecording: (name: string) => callOperation('delete_recording', { name }),

  agents: (signal?: AbortSignal) => callOperation('list_agents', {}, signal),
  turnAgent: (name: string, on: boolean) => callOperation(on ? 'enable_agent' : 'disable_agent', { name }),
  deleteAgent: (name: string) => callOperation('delete_agent', { name }),
  createAgent: (agent: OperationParameters<'create_agent'>) => callOperation('create_agent', agent),
  updateAgent: (agent: OperationParameters<'update_agent'>) => callOperation('update_agent', agent),
  testAgent: (name: string) => callOperation('test_agent', { name }),
  agentHistory: (name: string, signal?: AbortSignal) => callOperation('list_agent_history', { name }, signal),

  tokens: (signal?: AbortSignal) => callOperation('list_tokens', {}, signal),
  createToken: (token: OperationParameters<'create_token'>) => callOperation('create_token', token),
  revokeToken: (id: string) => callOperation('revoke_token', { id }),
  roles: (signal?: AbortSignal) => callOperation('list_roles', {}, signal),
  audit: (query: OperationParameters<'list_audit_entries'>, signal?: AbortSignal) =>
    callOperation('list_audit_entries', query, signal),
  configuration: (signal?: AbortSignal) => callOperation('get_configuration', {}, signal),
  previewRedaction: (wanted: OperationParameters<'preview_redaction'>) =>
    callOperation('preview_redaction', wanted),

  dissections: (signal?: AbortSignal) => callOperation('list_snapshot_dissections', {}, signal),
  dissection: (snapshot: string, name: string, signal?: AbortSignal) =>
    callOperation('get_snapshot_dissection', { snapshot, name }, signal),
  startDissection: (snapshot_name: string, dissection_name: string) =>
    callOperation('start_snapshot_dissection', { snapshot_name, dissection_name }),
  stopDissection: (snapshot: string, name: string) =>
    callOperation('stop_snapshot_dissection', { snapshot, name }),
  deleteDissection: (snapshot: string, name: string) =>
    callOperation('delete_snapshot_dissection', { snapshot, name }),
}
