import type { OperationOutput } from '@tapdeck/api'
import type { CallDetails } from './call-details.ts'
import { request } from './request.ts'

export type Whoami = OperationOutput<'whoami'>
export type SwitchState = OperationOutput<'get_switch'>
export type CallPage = OperationOutput<'list_api_calls'>
export type Snapshot = OperationOutput<'get_snapshot'>
export type Dissection = OperationOutput<'get_snapshot_dissection'>
export type Recording = OperationOutput<'get_recording'>
export type Agent = OperationOutput<'get_agent'>
export type StatsGroup = OperationOutput<'get_api_stats'>['groups'][number]
export type Boundaries = OperationOutput<'get_data_boundaries'>
export type KflCheck = OperationOutput<'check_kfl'>
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
}

/** A window of the recording: the latest so long, or from one time to another (Unix milliseconds). */
export type SnapshotWindow = { readonly duration: string } | { readonly start: number; readonly end: number }

const segment = encodeURIComponent
const dissectionPath = (snapshot: string, name: string) =>
  `/dissections/${segment(snapshot)}/${segment(name)}`

/** The routes that the dashboard uses. */
export const hub = {
  whoami: (signal?: AbortSignal) => request<Whoami>('/whoami', { signal }),

  loginWays: (signal?: AbortSignal) =>
    request<{ readonly enabled: boolean; readonly oidc: boolean }>('/options', { at: '/auth', signal }),
  logIn: (token: string) => request<unknown>('/session', { at: '/auth', method: 'POST', body: { token } }),
  /** `next`: where the identity provider ends its own session. */
  logOut: () => request<{ readonly next?: string }>('/logout', { at: '/auth', method: 'POST' }),

  status: (signal?: AbortSignal) => request<OperationOutput<'get_status'>>('/status', { signal }),

  switchState: (signal?: AbortSignal) => request<SwitchState>('/dissection', { signal }),
  turnSwitch: (on: boolean) =>
    request<OperationOutput<'enable_dissection'>>(on ? '/dissection/enable' : '/dissection/disable', {
      method: 'POST',
    }),

  calls: (query: CallPageQuery, signal?: AbortSignal) =>
    request<CallPage>('/calls', {
      query: { ...query },
      signal,
    }),
  call: (id: string, db: string | undefined, signal?: AbortSignal) =>
    request<CallDetails>(`/calls/${segment(id)}`, { query: { db }, signal }),

  stats: (question: { db: string | undefined; kfl: string; by: string }, signal?: AbortSignal) =>
    request<OperationOutput<'get_api_stats'>>('/stats', {
      query: { db: question.db, kfl: question.kfl, group_by: question.by, limit: 500 },
      signal,
    }),

  kflFields: (signal?: AbortSignal) => request<OperationOutput<'list_kfl_fields'>>('/kfl/fields', { signal }),
  checkKfl: (kfl: string, signal?: AbortSignal) =>
    request<KflCheck>('/kfl/check', { query: { kfl }, signal }),
  completeKfl: (kfl: string, cursor: number, db: string | undefined, signal?: AbortSignal) =>
    request<KflCompletion>(
      `/kfl/complete?${new URLSearchParams({ kfl, cursor: String(cursor), ...(db !== undefined && { db }) })}`,
      { signal },
    ),

  boundaries: (signal?: AbortSignal) => request<Boundaries>('/data-boundaries', { signal }),
  snapshots: (signal?: AbortSignal) => request<OperationOutput<'list_snapshots'>>('/snapshots', { signal }),
  createSnapshot: (name: string, window: SnapshotWindow) =>
    request<OperationOutput<'create_snapshot'>>('/snapshots', { method: 'POST', body: { name, ...window } }),
  deleteSnapshot: (name: string, force: boolean) =>
    request<OperationOutput<'delete_snapshot'>>(`/snapshots/${segment(name)}`, {
      method: 'DELETE',
      query: { force: force ? 'true' : undefined },
    }),
  updateSnapshot: (name: string, change: { new_name?: string; tags: readonly string[]; notes: string }) =>
    request<Snapshot>(`/snapshots/${segment(name)}`, { method: 'PATCH', body: change }),
  pcapAddress: (name: string) => `/api/snapshots/${segment(name)}/pcap`,
  /** The packets of one call's connection, out of the snapshot that its dissection was made of. */
  callPcapAddress: (db: string, call: string) => {
    const [snapshot = '', dissection = ''] = db.split('/')
    return `${hub.pcapAddress(snapshot)}?${new URLSearchParams({ call, dissection })}`
  },

  recordings: (signal?: AbortSignal) =>
    request<OperationOutput<'list_recordings'>>('/recordings', { signal }),
  startRecording: (wish: { name: string; kfl: string; duration: string; resume_indexing: boolean }) =>
    request<Recording>('/recordings', { method: 'POST', body: wish }),
  stopRecording: (name: string) =>
    request<Recording>(`/recordings/${segment(name)}/stop`, { method: 'POST' }),
  deleteRecording: (name: string) =>
    request<OperationOutput<'delete_recording'>>(`/recordings/${segment(name)}`, { method: 'DELETE' }),

  agents: (signal?: AbortSignal) => request<OperationOutput<'list_agents'>>('/agents', { signal }),
  turnAgent: (name: string, on: boolean) =>
    request<Agent>(`/agents/${segment(name)}/${on ? 'enable' : 'disable'}`, { method: 'POST' }),
  deleteAgent: (name: string) =>
    request<OperationOutput<'delete_agent'>>(`/agents/${segment(name)}`, { method: 'DELETE' }),

  dissections: (signal?: AbortSignal) =>
    request<OperationOutput<'list_snapshot_dissections'>>('/dissections', { signal }),
  startDissection: (snapshot_name: string, dissection_name: string) =>
    request<OperationOutput<'start_snapshot_dissection'>>('/dissections', {
      method: 'POST',
      body: { snapshot_name, dissection_name },
    }),
  stopDissection: (snapshot: string, name: string) =>
    request<OperationOutput<'stop_snapshot_dissection'>>(`${dissectionPath(snapshot, name)}/stop`, {
      method: 'POST',
    }),
  deleteDissection: (snapshot: string, name: string) =>
    request<OperationOutput<'delete_snapshot_dissection'>>(dissectionPath(snapshot, name), {
      method: 'DELETE',
    }),
}
