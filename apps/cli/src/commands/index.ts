import type { AnyCommand } from '../command.ts'
import type { CommandList } from '../command-list.ts'
import summaries from './summaries.json' with { type: 'json' }

/** Commands that are written by hand, in the order of help. Each is loaded when it is asked for. */
export const written: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  up: async () => (await import('./up.ts')).up,
  hub: async () => (await import('./hub.ts')).hub,
  worker: async () => (await import('./worker.ts')).worker,
  status: async () => (await import('./status.ts')).status,
  nodes: async () => (await import('./nodes.ts')).nodes,
  proxy: async () => (await import('./proxy.ts')).proxy,
  dashboard: async () => (await import('./dashboard.ts')).dashboard,
  attach: async () => (await import('./attach.ts')).attach,
  recorder: async () => (await import('./recorder.ts')).recorder,
  demo: async () => (await import('./demo.ts')).demo,
  dissect: async () => (await import('./dissect.ts')).dissect,
  'dissect-job': async () => (await import('./dissect-job.ts')).dissectJob,
  import: async () => (await import('./import.ts')).importCaptures,
  'snapshot create': async () => (await import('./snapshot-create.ts')).snapshotCreate,
  'snapshot list': async () => (await import('./snapshot-list.ts')).snapshotList,
  'snapshot get': async () => (await import('./snapshot-get.ts')).snapshotGet,
  'snapshot pcap': async () => (await import('./snapshot-pcap.ts')).snapshotPcap,
  'snapshot update': async () => (await import('./snapshot-update.ts')).snapshotUpdate,
  'snapshot delete': async () => (await import('./snapshot-delete.ts')).snapshotDelete,
  'dissection start': async () => (await import('./dissection-start.ts')).dissectionStart,
  'dissection status': async () => (await import('./dissection-status.ts')).dissectionStatus,
  'dissection list': async () => (await import('./dissection-list.ts')).dissectionList,
  'dissection stop': async () => (await import('./dissection-stop.ts')).dissectionStop,
  'dissection delete': async () => (await import('./dissection-delete.ts')).dissectionDelete,
  'recording start': async () => (await import('./recording-start.ts')).recordingStart,
  'recording stop': async () => (await import('./recording-stop.ts')).recordingStop,
  'recording list': async () => (await import('./recording-list.ts')).recordingList,
  'recording delete': async () => (await import('./recording-delete.ts')).recordingDelete,
  'agent create': async () => (await import('./agent-create.ts')).agentCreate,
  'agent list': async () => (await import('./agent-list.ts')).agentList,
  'agent status': async () => (await import('./agent-status.ts')).agentStatus,
  'agent enable': async () => (await import('./agent-enable.ts')).agentEnable,
  'agent disable': async () => (await import('./agent-disable.ts')).agentDisable,
  'agent delete': async () => (await import('./agent-delete.ts')).agentDelete,
  calls: async () => (await import('./calls.ts')).calls,
  stats: async () => (await import('./stats.ts')).stats,
  diff: async () => (await import('./diff.ts')).diff,
  flows: async () => (await import('./flows.ts')).flows,
  events: async () => (await import('./events.ts')).events,
  export: async () => (await import('./export.ts')).exportCommand,
  capture: async () => (await import('./capture.ts')).capture,
  extcap: async () => (await import('./extcap.ts')).extcap,
  'inventory set': async () => (await import('./inventory-set.ts')).inventorySet,
  mcp: async () => (await import('./mcp.ts')).mcp,
  'kfl check': async () => (await import('./kfl-check.ts')).kflCheck,
  'kfl explain': async () => (await import('./kfl-explain.ts')).kflExplain,
  'kfl format': async () => (await import('./kfl-format.ts')).kflFormat,
  'kfl fields': async () => (await import('./kfl-fields.ts')).kflFields,
  'token create': async () => (await import('./token-create.ts')).tokenCreate,
  'token list': async () => (await import('./token-list.ts')).tokenList,
  'token revoke': async () => (await import('./token-revoke.ts')).tokenRevoke,
  'token worker': async () => (await import('./token-worker.ts')).tokenWorker,
  'config print': async () => (await import('./config-print.ts')).configPrint,
  'config check': async () => (await import('./config-check.ts')).configCheck,
}

/** Commands that come last in help. */
export const last: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  completion: async () => (await import('./completion.ts')).completion(allCommands),
  version: async () => (await import('./version.ts')).version,
}

/** All commands. Names and summaries come from `summaries.json`, which `npm run docs` writes, so that help loads no command. */
export const commands: CommandList = {
  summaries,
  load: async (name) => {
    const load = written[name] ?? last[name]
    return load ? load() : (await import('./operation-commands.ts')).namedOperationCommand(name)
  },
}

/** All commands, loaded. In the order of help: groups (`snapshot …`) together, then those made from operations alone. */
export async function allCommands(): Promise<readonly AnyCommand[]> {
  const own = await Promise.all(Object.values(written).map((load) => load()))
  const { operationCommands } = await import('./operation-commands.ts')
  const all: AnyCommand[] = []
  for (const one of [...own, ...operationCommands(own)]) {
    const group = one.name.split(' ')[0]
    const before = all.findLastIndex(({ name }) => name.split(' ')[0] === group)
    all.splice(before < 0 ? all.length : before + 1, 0, one)
  }
  return [...all, ...(await Promise.all(Object.values(last).map((load) => load())))]
}
