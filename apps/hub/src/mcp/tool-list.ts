import type { OperationName } from '@tapdeck/api'

/** Several operations behind one tool, chosen by its argument `action`. */
export interface ToolGroup {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly actions: Readonly<Record<string, OperationName>>
}

/** THE list of tools, in the order of an investigation. */
export const toolList = {
  orient: ['find_suspects', 'list_databases', 'get_data_boundaries', 'get_topology', 'get_dissection_status'],
  narrow: [
    'get_api_stats',
    'diff_api_calls',
    'list_api_calls',
    'search_fields',
    'check_filter',
    'list_events',
    'list_l4_flows',
    'get_l4_flow_summary',
    'list_workloads',
    'list_ips',
  ],
  explain: ['explain_call', 'get_api_call'],
  act: [
    'capture_and_dissect',
    'list_snapshots',
    'create_snapshot',
    'get_snapshot',
    'start_snapshot_dissection',
    'get_snapshot_dissection_status',
    'list_snapshot_dissections',
    'export_snapshot_pcap',
    'enable_dissection',
    'disable_dissection',
  ],
} as const satisfies Readonly<Record<string, readonly OperationName[]>>

/** What only administers comes last. */
export const toolGroups: readonly ToolGroup[] = [
  {
    name: 'manage_snapshots',
    title: 'Change or delete snapshots and dissections',
    description: 'Renames, tags and deletes snapshots; shows, stops and deletes dissections.',
    actions: {
      update: 'update_snapshot',
      delete: 'delete_snapshot',
      get_dissection: 'get_snapshot_dissection',
      stop_dissection: 'stop_snapshot_dissection',
      delete_dissection: 'delete_snapshot_dissection',
    },
  },
  {
    name: 'manage_recordings',
    title: 'Keep traffic past the ring',
    description: 'Recordings: the traffic that matches a filter is kept from now until it is stopped.',
    actions: {
      start: 'start_recording',
      list: 'list_recordings',
      get: 'get_recording',
      stop: 'stop_recording',
      delete: 'delete_recording',
    },
  },
  {
    name: 'manage_agents',
    title: 'Watch live calls',
    description: 'Network agents: a filter over live calls, and what to do with a call that matches.',
    actions: {
      create: 'create_agent',
      list: 'list_agents',
      get: 'get_agent',
      enable: 'enable_agent',
      disable: 'disable_agent',
      delete: 'delete_agent',
    },
  },
]

/** Names that tools had before, which clients still use. */
export const formerNames: Readonly<Record<string, OperationName>> = { check_kfl: 'check_filter' }
