import { type OperationName, operations } from '@tapdeck/api'
import type { AnyCommand } from '../command.ts'
import { commandName, type OperationCommandTexts, operationCommand } from '../operations/operation-command.ts'

const operationNames = Object.keys(operations) as OperationName[]

/** Names and texts of commands that are made from an operation alone. */
const texts: Partial<Readonly<Record<OperationName, OperationCommandTexts>>> = {
  get_switch: {
    name: 'switch',
    alsoCovers: ['get_dissection_status'],
    summary: 'Shows whether traffic indexing is on, who changed it, and when inactivity pauses it.',
    notes:
      '`tapdeck switch on` resumes indexing, `tapdeck switch off` pauses it. Recording continues in both states.',
  },
  enable_dissection: { name: 'switch on', summary: 'Resumes traffic indexing on every node.' },
  disable_dissection: {
    name: 'switch off',
    summary: 'Pauses traffic indexing on every node. Recording continues.',
  },
  list_switch_changes: {
    name: 'switch changes',
    summary: 'Lists the changes of traffic indexing, newest first.',
  },
  get_data_boundaries: { name: 'boundaries', summary: 'Shows which time range each node has recorded.' },
  list_databases: {
    name: 'databases',
    summary: 'Lists what can be queried: live calls, recordings and dissections.',
  },
  get_snapshot_dissection: {
    name: 'dissection get',
    summary: 'Shows one dissection: status, counts and losses.',
  },
  get_api_call: {
    name: 'call',
    summary: 'Shows one call with headers, payloads, timeline and events.',
    notes:
      'The id is the one of `tapdeck calls --json`; give the same --db. In the recording, a window around the call makes the search faster.',
  },
  get_l4_flow_summary: {
    name: 'flows summary',
    summary: 'Shows how many peers communicate at L4, and how much.',
  },
  explain_call: {
    name: 'explain',
    summary: 'Shows what happened in one call and around it, on one timeline.',
    notes: 'The id is the one of `tapdeck calls --json` or of `tapdeck suspects`; give the same --db.',
  },
  capture_and_dissect: {
    name: 'capture-and-dissect',
    summary: 'Takes a snapshot, dissects it, and shows what it contains and what may be the cause.',
    notes: 'It waits for both jobs. Ctrl-C stops them; a completed snapshot stays.',
  },
  search_fields: {
    name: 'kfl search',
    summary: 'Finds fields and values for a filter by words.',
  },
  find_suspects: {
    name: 'suspects',
    summary: 'Lists what may be the cause of an incident, the most probable first.',
    notes:
      'Compares a window with a baseline; by default with the part of the window before the first change.',
  },
  get_topology: {
    name: 'topology',
    summary: 'Shows which services, workloads or pods call each other, with rates, errors and latencies.',
  },
  list_workloads: {
    name: 'workloads',
    summary: 'Lists pods and services with their addresses, now or at a time.',
  },
  list_ips: { name: 'ips', summary: 'Shows which pods and services had an address, now or at a time.' },
  get_targets: {
    name: 'targets get',
    summary: 'Shows which pods are indexed, and which packets are captured.',
  },
  preview_targets: { name: 'targets preview', summary: 'Lists the pods that other targets would index.' },
  set_targets: { name: 'targets set', summary: 'Chooses the pods that are indexed, on all nodes, at once.' },
  reset_targets: { name: 'targets reset', summary: 'Indexes the pods of the configuration again.' },
  list_saved_filters: { name: 'filters', summary: 'Lists the filters that callers share.' },
  save_filter: { name: 'filters save', summary: 'Shares a filter with all callers, under a name.' },
  delete_saved_filter: { name: 'filters delete', summary: 'Deletes a shared filter.' },
  get_inventory: {
    name: 'inventory get',
    summary: 'Shows the pods and services that give addresses their names.',
  },
  complete_kfl: {
    name: 'kfl complete',
    summary: 'Lists fields, operators and values that fit at a position in a filter.',
  },
  get_recording: {
    name: 'recording get',
    summary: 'Shows one recording: state, size, gaps and its database.',
  },
  update_agent: { name: 'agent edit', summary: 'Replaces the filter or the actions of a network agent.' },
  test_agent: { name: 'agent test', summary: 'Gives a sample call to each action of a network agent.' },
  list_agent_history: {
    name: 'agent history',
    summary: 'Lists what a network agent did since the hub started, newest first.',
  },
  list_tokens: { name: 'access tokens', summary: 'Lists the API tokens of a hub, as an administrator.' },
  create_token: {
    name: 'access grant',
    summary: 'Makes an API token on a hub, as an administrator, and prints it once.',
    notes: 'On the machine of the hub, `tapdeck token create` does the same without a credential.',
  },
  revoke_token: { name: 'access revoke', summary: 'Revokes an API token of a hub, as an administrator.' },
  admit_recorder: {
    name: 'access recorder',
    summary: 'Makes a credential for a recorder of one pod, as an administrator, and prints it once.',
    notes: '`tapdeck attach` does this, and starts the recorder.',
  },
  list_roles: { name: 'access roles', summary: 'Lists the roles of a hub and what each may do.' },
  list_audit_entries: { name: 'access audit', summary: 'Lists who asked what of a hub, newest first.' },
  get_configuration: {
    name: 'config running',
    summary: 'Shows every key of the configuration as the hub runs with it, and its source.',
  },
  preview_redaction: {
    name: 'redaction try',
    summary: 'Shows which fields of a call the rules of redaction hide, and by which rule.',
  },
  whoami: { name: 'whoami', summary: 'Shows the caller as the hub sees it: name, role and capabilities.' },
}

/** Commands for the operations that have no command of their own in `written`. */
export function operationCommands(written: readonly AnyCommand[]): AnyCommand[] {
  const covered = new Set([
    ...written.flatMap((one) => one.operations ?? []),
    ...Object.values(texts).flatMap(({ alsoCovers }) => alsoCovers ?? []),
  ])
  return operationNames
    .filter((name) => !covered.has(name))
    .map((name) => operationCommand(name, texts[name]))
}

/** The command of this name, made alone: the others take their time. */
export function namedOperationCommand(name: string): AnyCommand {
  const operation = operationNames.find((one) => commandName(one, texts[one]) === name)
  if (operation === undefined) throw new Error(`no operation has the command ${name}`)
  return operationCommand(operation, texts[operation])
}
