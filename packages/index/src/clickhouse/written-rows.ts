import {
  ByteWriter,
  type Call,
  connectionEndOf,
  type Endpoint,
  waitedUs,
  writeExchange,
} from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import type { IndexOptions, Peers } from '../call-index.ts'
import { textsOfEndpoint } from '../endpoint-texts.ts'
import { textOfGroup } from '../group-name.ts'
import { lateTextOf } from '../late-flow.ts'
import { microseconds } from '../microseconds.ts'
import { writeMetrics } from '../payload/tcp-metrics.ts'
import { statusNumber } from '../status-number.ts'
import type { Cell } from './native-block.ts'

/** Bytes of a row beside its texts and its payload, as far as limits are concerned. */
const ROW_BYTES = 150

/** A call as a row of `callTableColumns`, without its time of arrival. `scratch` is overwritten. */
export function rowOfCall(
  call: Call,
  peers: Peers,
  options: IndexOptions,
  scratch: ByteWriter,
): readonly Cell[] {
  const { flow, summary, request, response } = call
  const { tcp } = flow
  scratch.cut(0)
  writeMetrics(tcp, scratch)
  writeExchange(call, scratch)
  const payload = scratch.written().slice()
  const number = statusNumber(summary.status)
  const answered = request?.kind === 'request' && response !== undefined
  const path = text(summary.path)
  return [
    options.node,
    options.captureSource,
    options.nodeIp ?? null,
    call.start,
    flow.id,
    call.ordinal,
    ...cellsOfPeer(peers.src),
    ...cellsOfPeer(peers.dst),
    serviceOf(peers.dst),
    call.protocol,
    text(summary.method),
    path,
    number ?? null,
    summary.status === undefined || number === summary.status ? null : text(String(summary.status)),
    text(call.missing ?? summary.failure),
    answered ? known(microseconds(request.start, response.end)) : null,
    answered ? known(microseconds(request.end, response.start)) : null,
    request?.size ?? null,
    response?.size ?? null,
    tcp?.handshake_us ?? null,
    call.tls === undefined ? null : text(JSON.stringify(call.tls)),
    text(connectionEndOf(call)),
    waitedUs(call) ?? null,
    payload.length + (path?.length ?? 0) + ROW_BYTES,
    payload,
  ]
}

/** The present state of a flow as a row of `flowTableColumns`, without its time of arrival. */
export function rowOfFlow(flow: Flow, client: Endpoint, server: Endpoint, node: string): readonly Cell[] {
  const [sent, received] = flow.directions
  const { tcp } = flow
  return [
    node,
    flow.id,
    // As in the other engine: more packets are a later state, and a closed flow comes after an open one.
    (sent.packets + received.packets) * 2 + (flow.closed === undefined ? 0 : 1),
    ...peerCells({ ...client, port: flow.ends[0].port }),
    ...peerCells({ ...server, port: flow.ends[1].port }),
    flow.transport,
    flow.start,
    flow.last,
    sent.packets,
    sent.bytes,
    sent.goodput,
    sent.missing,
    received.packets,
    received.bytes,
    received.goodput,
    received.missing,
    text(flow.closed),
    text(flow.tunnel),
    tcp?.handshake_us ?? null,
    tcp?.retransmissions ?? null,
    tcp?.out_of_order ?? null,
    tcp?.zero_window ?? null,
    tcp?.resets ?? null,
    tcp?.rtt_avg_us ?? null,
    tcp?.client_zero_window_us ?? null,
    tcp?.server_zero_window_us ?? null,
    tcp?.client_fin_us ?? null,
    tcp?.server_fin_us ?? null,
    tcp?.client_reset_us ?? null,
    tcp?.server_reset_us ?? null,
    lateTextOf(flow) || null,
  ]
}

export function scratchWriter(): ByteWriter {
  return new ByteWriter()
}

/** The calls of a flow have the same peers, so their cells are made once. */
const peersOfCalls = new WeakMap<Endpoint, readonly Cell[]>()

function cellsOfPeer(peer: Endpoint): readonly Cell[] {
  let cells = peersOfCalls.get(peer)
  if (cells === undefined) {
    cells = [...peerCells(peer), ...moreCells(peer)]
    peersOfCalls.set(peer, cells)
  }
  return cells
}

/** The group of a call by service, as `nameOfGroup` reads it. */
function serviceOf({ svc, pod, ns, ip, port }: Endpoint): string {
  const group = svc || pod
  return group ? textOfGroup({ hasNs: true }, { group, ...(ns && { ns }) }) : `${ip}:${port}`
}

function peerCells({ ip, port, pod, ns, svc, node, process }: Endpoint): readonly Cell[] {
  return [ip, port, text(pod), text(ns), text(svc), text(node), text(process)]
}

function moreCells(endpoint: Endpoint): readonly Cell[] {
  const { more } = textsOfEndpoint(endpoint)
  return [text(endpoint.dns), text(endpoint.workload), text(more)]
}

/** An empty text is absent. */
function text(value: string | undefined): string | null {
  return value || null
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
