import { createHash } from 'node:crypto'
import { type OperationInput, Problem } from '@tapdeck/api'
import { BpfFilter } from '@tapdeck/bpf'
import { compile } from '@tapdeck/kfl'
import type { PacketFilter, Snapshot } from '@tapdeck/recording'
import { requireCapability } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { seesDecrypted } from '../access/visibility.ts'
import { bodyOf } from '../export/body-of.ts'
import { type AskedRange, byteRange, bytesOf, within } from '../export/byte-range.ts'
import { callConversation, matchingConversations } from '../export/call-conversations.ts'
import { SecondLinkType } from '../export/capture-writer.ts'
import type { Conversations } from '../export/conversations.ts'
import {
  collectedSecrets,
  type ExportedSecrets,
  secretsVersion,
  withoutSecrets,
} from '../export/exported-secrets.ts'
import { notRecorded } from '../export/not-recorded.ts'
import { preconditions } from '../export/preconditions.ts'
import { type CapturedNode, type SnapshotCapture, snapshotCapture } from '../export/snapshot-capture.ts'
import { nearestNames } from '../nearest-names.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import { shownTo } from './shown-to.ts'

/**
 * Answers with a stream of bytes. The first piece is made before the answer begins, so that early errors are returned.
 * The same snapshot gives the same bytes each time, so a download that broke off can be resumed.
 */
export const exportSnapshotPcap: Handler<'export_snapshot_pcap'> = async (
  input,
  services,
  { headers, caller },
) => {
  const { snapshots } = services
  services.redactions.requireUnredacted(caller)
  const { name, start_time, end_time, format } = input
  const nodes = chosenNodes(snapshots, name, input.nodes)
  if (start_time !== undefined && end_time !== undefined && start_time > end_time)
    throw new Problem(400, 'invalid_input', 'start_time is after end_time')
  const bpf = input.bpf_filter === undefined ? undefined : BpfFilter.parse(input.bpf_filter)
  const secrets = await exportedSecrets(input, snapshots, caller, nodes)
  const inventory = await snapshots.names(name)
  const conversations = await wantedConversations(input, services, caller)
  const request = { start: start_time, end: end_time, bpf, conversations }
  // A dissection that still runs finds more calls later: what it chose is part of what this is.
  const missing = missingOf(snapshots.get(name), input)
  const chosen = [start_time, end_time, format, bpf?.text, conversations?.digest()]
  const what = [...chosen, inventory, missing, secretsVersion(secrets)]
  const etag = `"${digest([nodes.map(({ node, size_bytes, version }) => [node, size_bytes, version]), ...what])}"`
  const settled = preconditions(headers, etag)
  if (settled) return settled
  try {
    const capture = await snapshotCapture(nodes, request, format, inventory, {
      damaged: (reason) => snapshots.noteDamage(name, reason),
      missing,
      secrets,
    })
    const common = {
      'content-type': capture.type,
      'content-disposition': `attachment; filename="${fileName(input)}.${capture.extension}"`,
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
      etag,
    }
    const asked = byteRange(headers, etag)
    return asked === undefined ? await whole(capture, common) : await part(capture, asked, common)
  } catch (error) {
    throw severalLinkTypes(error)
  }
}

/** A caller without `tls:read` gets no secret, neither of the snapshot nor of a file that was imported. */
async function exportedSecrets(
  { name, format, tls_keys }: OperationInput<'export_snapshot_pcap'>,
  snapshots: Snapshots,
  caller: Caller,
  nodes: readonly CapturedNode[],
): Promise<ExportedSecrets> {
  if (tls_keys) requireCapability(caller, ['tls:read'])
  if (tls_keys && format === 'pcap')
    throw new Problem(400, 'invalid_input', 'A pcap file cannot carry TLS secrets', {
      hint: 'Use format=pcapng.',
    })
  if (!seesDecrypted(caller)) return withoutSecrets
  const wanted = nodes.map(({ node }) => node)
  return { keepsImported: true, added: tls_keys ? await collectedSecrets(snapshots.keys, name, wanted) : [] }
}

/** The packets of one call are not to replace those of the snapshot in a folder of downloads. */
function fileName({ name, call }: OperationInput<'export_snapshot_pcap'>): string {
  return call === undefined ? name : `${name}-call-${call.replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}`
}

/** The times that were not recorded, of the window and the nodes that are wanted. */
function missingOf(
  { gaps = [] }: Snapshot,
  { nodes, start_time = 0, end_time = Number.POSITIVE_INFINITY }: OperationInput<'export_snapshot_pcap'>,
): string[] {
  const wanted = nodes?.split(',').filter((node) => node !== '') ?? []
  return gaps
    .filter(({ node }) => wanted.length === 0 || wanted.includes(node))
    .filter(({ from_ts, to_ts }) => to_ts > start_time && from_ts <= end_time)
    .map(notRecorded)
}

/** Those of matching calls, or of one call; undefined if the request names no calls. */
async function wantedConversations(
  {
    name,
    dissection,
    call,
    start_time: start,
    end_time: end,
    ...input
  }: OperationInput<'export_snapshot_pcap'>,
  services: HubServices,
  caller: Caller,
): Promise<Conversations | undefined> {
  const { dissections, catalog, now } = services
  const kfl = input.kfl?.trim() === '' ? undefined : input.kfl
  if (kfl === undefined && dissection === undefined && call === undefined) return undefined
  if (kfl !== undefined) compile(kfl, catalog, now())
  if (kfl !== undefined && call !== undefined)
    throw new Problem(400, 'invalid_input', 'Pass either kfl or call, not both')
  const chosen =
    dissection ?? dissections.list(name).find(({ status }) => status === 'completed')?.dissection_name
  if (chosen === undefined)
    throw new Problem(
      409,
      'no_dissection',
      `Snapshot "${name}" has no completed dissection to search for calls`,
      {
        hint: 'Start a dissection of it first.',
      },
    )
  // Which packets are chosen would otherwise answer questions about calls that the caller may not see.
  const sources = shownTo(caller, dissections.sources(`${name}/${chosen}`), services)
  if (call !== undefined) return callConversation(sources, call)
  return matchingConversations(sources, kfl ?? '', { start, end })
}

async function whole(capture: SnapshotCapture, common: Record<string, string>): Promise<Response> {
  const length = capture.size === undefined ? {} : { 'content-length': String(capture.size) }
  return new Response(await bodyOf(capture.pieces()), { headers: { ...common, ...length } })
}

async function part(
  capture: SnapshotCapture,
  asked: AskedRange,
  common: Record<string, string>,
): Promise<Response> {
  const total = capture.size ?? (await sizeOf(capture.pieces()))
  const range = within(asked, total)
  if (range === undefined)
    throw new Problem(416, 'range_beyond_end', `Range beyond the end: the capture has ${total} bytes`, {
      total_bytes: total,
    })
  const { first, end } = range
  return new Response(await bodyOf(bytesOf(capture.pieces(), first, end)), {
    status: 206,
    headers: {
      ...common,
      'content-length': String(end - first),
      'content-range': `bytes ${first}-${end - 1}/${total}`,
    },
  })
}

function chosenNodes(
  snapshots: Snapshots,
  name: string,
  nodes: string | undefined,
): (CapturedNode & { readonly version: string })[] {
  const { status, source } = snapshots.get(name)
  if (status !== 'completed')
    throw new Problem(409, 'snapshot_not_completed', `Snapshot "${name}" is ${status}`)
  const files = snapshots.captures(name)
  const known = files.map(({ node }) => node)
  const named = nodes?.split(',').filter((node) => node !== '') ?? []
  // An empty list is no choice, as it is when a snapshot is made.
  const wanted = named.length > 0 ? named : known
  for (const node of wanted)
    if (!known.includes(node))
      throw new Problem(404, 'unknown_node', `Snapshot "${name}" has no node "${node}"`, {
        hint: `Similar nodes: ${nearestNames(node, known).join(', ')}.`,
      })
  return files
    .filter(({ node, size_bytes }) => wanted.includes(node) && size_bytes > 0)
    .map((capture) => ({
      ...capture,
      read: (damaged?: (reason: string) => void) => snapshots.readNode(name, capture.node, damaged),
      ...(source === 'recording' && {
        filtered: (filter: PacketFilter) => snapshots.filterNode(name, capture.node, filter),
      }),
    }))
}

async function sizeOf(pieces: AsyncGenerator<Uint8Array>): Promise<number> {
  let total = 0
  for await (const piece of pieces) total += piece.length
  return total
}

function severalLinkTypes(error: unknown): unknown {
  if (!(error instanceof SecondLinkType)) return error
  return new Problem(409, 'several_link_types', `${error.message}, which the pcap format does not support`, {
    hint: 'Use format=pcapng, or select nodes.',
  })
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}
