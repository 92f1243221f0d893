import {
  addressAnswers,
  type Call,
  type CallRecord,
  Dissection,
  type Endpoint,
  toCallRecord,
} from '@tapdeck/dissect'
import { type Resolver, SeenNames } from '@tapdeck/inventory'
import { type Owners, WindowReader } from '@tapdeck/recording'
import type { Redactor } from '@tapdeck/redact'
import { CaptureReader, type Flow, type Side } from '@tapdeck/wire'
import { CAPTURE_SOURCE } from '../live/live-calls.ts'
import type { HeldParts } from './held-parts.ts'

/** Bytes that all connections together may buffer. */
const TOTAL_BUFFERS = 64 * 1024 * 1024

/** How calls are made of packets here. */
export interface Bench {
  readonly node: string
  readonly nodeIp?: string | undefined
  readonly bodyBytes: number
  readonly redactor: Redactor | undefined
  readonly resolver: Resolver
  /** Which processes are at the ends of connections, as far as that is known. */
  readonly owners?: Owners
}

interface Peers {
  readonly src: Endpoint
  readonly dst: Endpoint
}

export interface WindowToRead {
  /** Microseconds; no packet outside of it is looked at. */
  readonly from: number
  readonly to: number
  /** Whose packets, see `PacketKeys`. */
  readonly parties: readonly (readonly number[])[]
  call(call: Call, record: () => CallRecord): void
  /** A flow that has ended, or whose last packet was read. */
  flow?(flow: Flow, peers: Peers): void
  /** After each piece: how many bytes were read, and packets taken, since it was last told. False ends it. */
  progress(bytes: number, packets: number): boolean | Promise<boolean>
}

/** Dissects packets of the recording. False where it was ended before all were read. */
export async function dissectWindow(held: HeldParts, window: WindowToRead, bench: Bench): Promise<boolean> {
  const { from, to, parties } = window
  const seen = new SeenNames()
  const known = { has_pcap: true, ...(bench.nodeIp !== undefined && { node_ip: bench.nodeIp }) }
  const take = (call: Call) => {
    if (call.protocol === 'dns') learn(call, seen)
    window.call(call, () =>
      toCallRecord(
        call,
        peersOf(call.flow, call.side, call.start, bench, seen),
        bench.node,
        CAPTURE_SOURCE,
        known,
      ),
    )
  }
  const { redactor } = bench
  const dissection = new Dissection({
    emit: redactor ? (call) => take(redactor.call(call)) : take,
    flow: (flow) => window.flow?.(flow, peersOf(flow, 0, flow.start, bench, seen)),
    limits: { body: bench.bodyBytes, total: TOTAL_BUFFERS },
    fault() {},
  })
  const capture = new CaptureReader(
    {
      packet(data, start, end, length, time, link) {
        if (time >= from && time <= to) dissection.packet(data, start, end, length, time, link)
      },
    },
    dissection.loss,
  )
  const parts = held.within(from, to)
  // Rounded outwards: the sink above is exact.
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
    const goOn = await window.progress(reader.readBytes - read, dissection.packets - packets)
    read = reader.readBytes
    packets = dissection.packets
    if (!goOn) return false
  }
  capture.end()
  dissection.end()
  return window.progress(reader.readBytes - read, dissection.packets - packets)
}

function learn(call: Call, seen: SeenNames): void {
  const told = addressAnswers(call)
  for (const { ip, ttl } of told?.addresses ?? []) seen.learn(told!.name, ip, call.end / 1000, ttl)
}

function peersOf(flow: Flow, side: Side, time: number, bench: Bench, seen: SeenNames): Peers {
  const ms = time / 1000
  return {
    src: named(flow, side, bench, seen, ms),
    dst: named(flow, side === 0 ? 1 : 0, bench, seen, ms),
  }
}

function named(flow: Flow, side: Side, { resolver, owners }: Bench, seen: SeenNames, ms: number): Endpoint {
  const { ip, port } = flow.ends[side]
  const dns = seen.name(ip, ms)
  const names = resolver.resolve(ip, port, ms)
  const process = owners?.of(flow, side)
  const peer = dns === undefined ? { ip, port, ...names } : { ip, port, ...names, dns }
  return process === undefined ? peer : { ...peer, process }
}
