import { type OperationInput, Problem } from '@tapdeck/api'
import { BpfFilter } from '@tapdeck/bpf'
import { compile } from '@tapdeck/kfl'
import { requireCapability } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { visibilityOf } from '../access/visibility.ts'
import { timed } from '../cluster/timed-gap.ts'
import type { Worker } from '../cluster/worker.ts'
import { bodyOf } from '../export/body-of.ts'
import { matchingConversations } from '../export/call-conversations.ts'
import { type ExportedSecrets, keyLogs, withoutSecrets } from '../export/exported-secrets.ts'
import { notRecorded } from '../export/not-recorded.ts'
import { type CapturedNode, snapshotCapture } from '../export/snapshot-capture.ts'
import {
  addressKeys,
  addressTest,
  type PodSelection,
  podAddresses,
  selectsPods,
  type TimeWindow,
} from '../packets/pod-addresses.ts'
import { windowChunks } from '../packets/window-chunks.ts'
import { RewindCosts, recordingSource } from '../query/recording-source.ts'
import { withNodes } from '../snapshots/snapshot-names.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'
import { requireValidWindow } from './require-valid-window.ts'
import { shownTo } from './shown-to.ts'

type Input = OperationInput<'stream_packets'>

/** What live packets and those of a window are chosen by. */
interface Choice {
  readonly selection: PodSelection
  readonly bpf: BpfFilter | undefined
  readonly kfl: string | undefined
}

export const streamPackets: Handler<'stream_packets'> = async (input, services, context) => {
  const { caller } = context
  services.redactions.requireUnredacted(caller)
  if (input.tls_keys) requireCapability(caller, ['tls:read'])
  const nodes = listOf(input.nodes)
  const workers = services.workers.choose(nodes)
  const choice: Choice = {
    selection: {
      namespaces: listOf(input.namespaces) ?? [],
      workloads: listOf(input.workloads) ?? [],
      pods: listOf(input.pods) ?? [],
    },
    bpf: input.bpf_filter === undefined ? undefined : BpfFilter.parse(input.bpf_filter),
    kfl: shownFilter(input.kfl, services, caller),
  }
  const window = windowOf(input, services.now())
  const body = window
    ? await recorded(workers, window, choice, input, services, context)
    : live(nodes, choice, input, services)
  return new Response(body, {
    headers: {
      'content-type': 'application/x-pcapng',
      'content-disposition': 'attachment; filename="tapdeck.pcapng"',
      'cache-control': 'no-store',
    },
  })
}

function live(
  nodes: readonly string[] | undefined,
  choice: Choice,
  { tls_keys: withKeys }: Input,
  { packetStreams, switchboard }: HubServices,
): ReadableStream<Uint8Array> {
  if (choice.kfl !== undefined && !switchboard.enabled)
    throw new Problem(
      409,
      'indexing_paused',
      'Traffic indexing is paused: no live calls are found, and a KFL filter selects the packets of calls',
      { hint: 'Resume indexing, select by pods or BPF, or pass start_time for a past window.' },
    )
  return packetStreams.open({ nodes, ...choice, withKeys })
}

/** The packets of a window out of the recordings, ordered by time. */
async function recorded(
  workers: readonly Worker[],
  window: TimeWindow,
  { selection, bpf, kfl }: Choice,
  input: Input,
  services: HubServices,
  { caller, signal }: RequestContext,
): Promise<ReadableStream<Uint8Array>> {
  const { coverage, directory, catalog, now } = services
  const inventory = withNodes(directory.inventory, workers)
  const wanted = selectsPods(selection) ? podAddresses(inventory, selection, window) : undefined
  if (wanted?.size === 0)
    throw new Problem(404, 'unknown_pod', 'No pod is selected that was there at this time', {
      hint: 'See /api/resolve/workloads for pods and their namespaces.',
    })
  const parties = wanted && { parties: [addressKeys(wanted)] }
  let conversations: Awaited<ReturnType<typeof matchingConversations>> | undefined
  if (kfl !== undefined) {
    const costs = new RewindCosts()
    const sources = workers.map((worker) => recordingSource(worker, window, costs, signal))
    compile(kfl, catalog, now())
    conversations = await matchingConversations(shownTo(caller, sources, services), kfl, window)
  }
  const names = workers.map(({ node }) => node)
  const missing = coverage.missedByRecording(window, names).map((gap) => notRecorded(timed(gap)))
  const nodes = workers.map(
    (worker): CapturedNode => ({
      node: worker.node,
      size_bytes: 0,
      read: (damaged = () => {}) =>
        windowChunks(worker, { ...window, ...parties }, signal, ({ dropped_packets }) => {
          if (dropped_packets > 0) damaged(`${worker.node}: ${dropped_packets} packets were not captured`)
        }),
    }),
  )
  const request = { ...window, bpf, conversations, ...(wanted && { addresses: addressTest(wanted) }) }
  const secrets = await secretsOf(workers, window, input, services, signal)
  const capture = await snapshotCapture(nodes, request, 'pcapng', inventory, { missing, secrets })
  return bodyOf(capture.pieces())
}

async function secretsOf(
  workers: readonly Worker[],
  window: TimeWindow,
  { tls_keys }: Input,
  { snapshots }: HubServices,
  signal: AbortSignal,
): Promise<ExportedSecrets> {
  if (!tls_keys) return withoutSecrets
  const collecting = workers.filter(({ report }) => report.tls_keys !== undefined)
  const found = await Promise.all(collecting.map((worker) => snapshots.keys.of(worker, window, signal)))
  return { keepsImported: false, added: keyLogs(new Set(found.flat().map(({ line }) => line.trim()))) }
}

/** Undefined: live packets are wanted. */
function windowOf({ start_time, end_time }: Input, now: number): TimeWindow | undefined {
  if (start_time === undefined && end_time === undefined) return undefined
  if (start_time === undefined)
    throw new Problem(400, 'invalid_input', 'end_time needs a start_time', {
      hint: 'Without both, the packets are live.',
    })
  requireValidWindow({ start: start_time, end: end_time })
  return { start: start_time, end: end_time ?? now }
}

/** Which packets are chosen would otherwise answer questions about calls that the caller may not see. */
function shownFilter(given: string | undefined, services: HubServices, caller: Caller): string | undefined {
  if (given === undefined || given.trim() === '') return undefined
  const { catalog, now } = services
  compile(given, catalog, now())
  return visibilityOf(caller)?.narrow(given, catalog, now()) ?? given
}

function listOf(given: string | undefined): string[] | undefined {
  const names = given?.split(',').filter((name) => name !== '') ?? []
  return names.length === 0 ? undefined : names
}
