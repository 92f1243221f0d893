import type { OperationOutput } from '@tapdeck/api'
import type { OptionValues } from '../arguments/option.ts'
import { exitStatus } from '../command.ts'
import { showFacts, showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { type hubOptions, wantsTable } from './hub-options.ts'
import { type NodeStatus, nodeColumns } from './node-columns.ts'

export type HubStatus = OperationOutput<'get_status'> & { readonly switch: OperationOutput<'get_switch'> }

/** The state of a hub: facts, a table of its nodes, and a line for everything that is off. */
export async function showStatus(
  { options, terminal }: { options: OptionValues<typeof hubOptions>; terminal: Terminal },
  status: HubStatus,
): Promise<number> {
  if (!wantsTable(options, terminal)) {
    await showJson(terminal, status)
    return exitStatus.done
  }
  const { enabled, since, by, reason, pauses_at, ended_pause } = status.switch
  await showFacts(terminal, {
    version: status.version,
    'started at': status.started_at,
    indexing: `${enabled ? 'on' : 'off'} since ${since}, by ${by} (${reason})`,
    'pauses at': pauses_at,
    ...(ended_pause && {
      'ended pause': `${ended_pause.by} had paused indexing at ${ended_pause.at}; the restart turned it on again`,
    }),
  })
  await terminal.out('\n')
  await terminal.out(formatTable(nodeColumns, status.nodes, terminal))
  const missing = new Set(status.missing_nodes?.map(({ name }) => name))
  const faults = status.nodes.filter(({ name }) => !missing.has(name)).flatMap(faultsOf)
  for (const { key, reason } of status.restart_needed ?? [])
    faults.push(`${key}: changed, and needs a restart: ${reason}.`)
  const { spans, metrics } = status.telemetry ?? {}
  const telemetryError = spans?.last_error ?? metrics?.last_error
  if (telemetryError !== undefined)
    faults.push(`OpenTelemetry: ${status.telemetry?.endpoint} does not take what is sent: ${telemetryError}.`)
  for (const { name, reason } of [...(status.missing_nodes ?? []), ...(status.excluded_nodes ?? [])])
    faults.push(`${name}: ${reason}.`)
  if (status.nodes.length === 0)
    faults.push('No worker has connected. Start one with `tapdeck worker`, or check hub.url.')
  if (faults.length > 0) await terminal.out(`\n${faults.map((line) => `${line}\n`).join('')}`)
  return exitStatus.done
}

function faultsOf({
  name,
  connected,
  capture,
  recorder,
  indexer,
  not_saved,
  tls_keys,
}: NodeStatus): string[] {
  if (!connected) return [`${name}: the worker is not connected.`]
  const lines: string[] = []
  if (!capture.active) lines.push(`${name}: does not capture: ${capture.reason ?? 'no reason given'}`)
  if (capture.pod_loopback?.reason) lines.push(`${name}: ${capture.pod_loopback.reason}`)
  // Without packets there is nothing to record, for the same reason.
  if (recorder?.recording === false && recorder.reason !== capture.reason)
    lines.push(`${name}: does not record: ${recorder.reason ?? 'no reason given'}`)
  if (indexer?.paused) lines.push(`${name}: ${indexer.reason}`)
  for (const { what, reason } of not_saved ?? []) lines.push(`${name}: cannot save the ${what}: ${reason}`)
  if (tls_keys?.reason) lines.push(`${name}: TLS keys: ${tls_keys.reason}`)
  return lines
}
