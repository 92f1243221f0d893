import { type Call, type CallRecord, Dissection, type Peers, toCallRecord } from '@tapdeck/dissect'
import { type Resolver, SeenNames } from '@tapdeck/inventory'
import { Pipeline } from '@tapdeck/pipeline'
import { type Owners, WindowReader } from '@tapdeck/recording'
import type { Redactor } from '@tapdeck/redact'
import type { KeySource } from '@tapdeck/tls'
import { CaptureReader, type Flow } from '@tapdeck/wire'
import { CAPTURE_SOURCE } from '../live/live-calls.ts'
import type { HeldSegments } from './held-segments.ts'

/** Bytes that all connections together may buffer. */
const TOTAL_BUFFERS = 64 * 1024 * 1024

/** Options of the dissection, the same for live calls, rewind and backfill. */
export interface DissectionContext {
  readonly node: string
  readonly nodeIp?: string | undefined
  readonly bodyBytes: number
  readonly redactor: Redactor | undefined
  readonly resolver: Resolver
  /** The processes at the ends of connections, as far as known. */
  readonly owners?: Owners
  /** Secrets of TLS connections. */
  readonly keys?: KeySource
}

export interface WindowVisitor {
  /** Microseconds; packets outside of the window are skipped. */
  readonly from: number
  readonly to: number
  /** Keys of the hosts and ports whose packets are read, see `PacketKeys`. */
  readonly parties: readonly (readonly number[])[]
  call(call: Call, record: () => CallRecord): void
  /** A flow that has ended, or whose last packet was read. */
  flow?(flow: Flow, peers: Peers): void
  /** Called after each chunk: bytes read and packets taken since the last one, and the time of the last packet. False aborts. */
  progress(bytes: number, packets: number, time: number): boolean | Promise<boolean>
}

/** Dissects packets of the recording. Returns false if it was aborted. */
export async function dissectWindow(
  held: HeldSegments,
  window: WindowVisitor,
  context: DissectionContext,
): Promise<boolean> {
  const { from, to, parties } = window
  const { node, nodeIp, bodyBytes, resolver, owners, redactor } = context
  const known = { has_pcap: true, ...(nodeIp !== undefined && { node_ip: nodeIp }) }
  const pipeline = new Pipeline(
    { names: { resolver: () => resolver, dns: new SeenNames(), owners }, redaction: redactor },
    {
      call: (call) =>
        window.call(call, () => toCallRecord(call, pipeline.name(call)!, node, CAPTURE_SOURCE, known)),
      flow: (flow, name) => window.flow?.(flow, name(flow)),
    },
  )
  let last = from
  const dissection = new Dissection({
    ...pipeline.handlers,
    limits: { body: bodyBytes, total: TOTAL_BUFFERS },
    fault() {},
    keys: () => context.keys,
    concealDecrypted: true,
  })
  const capture = new CaptureReader(
    {
      packet(data, start, end, length, time, link) {
        if (time < from || time > to) return
        last = Math.max(last, time)
        dissection.packet(data, start, end, length, time, link)
      },
    },
    dissection.loss,
  )
  const parts = held.within(from, to)
  // Rounded outwards: the packet sink above checks exactly.
  const reader = new WindowReader(
    parts,
    Math.floor(from / 1000),
    Math.ceil(to / 1000),
    held.oldest,
    parties,
    {
      keepOpen: true,
      indexOf: held.indexOf,
    },
  )
  let read = 0
  let packets = 0
  for await (const chunk of reader) {
    capture.push(chunk)
    const goOn = await window.progress(reader.readBytes - read, dissection.packets - packets, last)
    read = reader.readBytes
    packets = dissection.packets
    if (!goOn) return false
  }
  capture.end()
  dissection.end()
  return window.progress(reader.readBytes - read, dissection.packets - packets, last)
}
