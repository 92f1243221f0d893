import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Call,
  type CallRecord,
  defaultLimits,
  type FullCall,
  type Peers,
  protocols,
  toCallRecord,
} from '@tapdeck/dissect'
import { createResolver, type Inventory } from '@tapdeck/inventory'
import { createCatalog } from '@tapdeck/kfl'
import { noRules } from '@tapdeck/redact'
import { type Flow, PcapngWriter } from '@tapdeck/wire'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { dissectFiles } from '../../apps/cli/src/dissect/dissect-files.ts'
import { pcapFile } from '../../apps/cli/src/testing/pcap-file.ts'
import { dissectShare } from '../../apps/hub/src/dissections/dissect-share.ts'
import { LiveCalls } from '../../apps/worker/src/live/live-calls.ts'
import { dissectWindow } from '../../apps/worker/src/rewind/dissect-window.ts'
import { HeldSegments } from '../../apps/worker/src/rewind/held-segments.ts'
import { recorded } from '../../apps/worker/src/rewind/testing/recorded-shop.ts'

const BODY_BYTES = defaultLimits.body
const CHUNK = 1000
const catalog = createCatalog(protocols)

/** What comes out of a path, in an order of its own. */
export interface PathResult {
  readonly calls: readonly Seen[]
  readonly flows: number
}

/** What every path says of a call. Figures of the connection go on changing, and the live paths have those of the time of the call. */
export type Seen = Pick<
  FullCall,
  'ts' | 'src' | 'dst' | 'proto' | 'method' | 'path' | 'status' | 'error' | 'delivery' | 'latency_ms'
>

const nothing = (): undefined => undefined

/** Takes what is for an index. */
class Collected {
  readonly loss = {}
  readonly #calls: { readonly seen: Seen; late(): Seen['delivery'] }[] = []
  readonly ids = new Set<number>()

  append(call: Call, peers: Peers): void {
    const record = toCallRecord(call, peers, 'n1', 'file')
    this.add(record)
  }

  /** The bytes of a call are there until the next packet. What becomes known of it later is read at the end. */
  add(record: CallRecord): void {
    this.#calls.push({ seen: shown(record.toJSON()), late: () => record.delivery })
  }

  appendFlow(flow: Flow): void {
    this.ids.add(flow.id)
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  get result(): PathResult {
    const calls = this.#calls.map(({ seen, late }) => {
      const delivery = late()
      return delivery === undefined ? seen : shown({ ...seen, delivery } as FullCall)
    })
    return sorted(calls, this.ids.size)
  }
}

function sorted(calls: readonly Seen[], flows: number): PathResult {
  const keyed = calls.map((call) => [JSON.stringify(call), call] as const)
  return { calls: keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call), flows }
}

function shown({ ts, src, dst, proto, method, path, status, error, delivery, latency_ms }: FullCall): Seen {
  const all = {
    ts,
    src: withoutDns(src),
    dst: withoutDns(dst),
    proto,
    method,
    path,
    status,
    error,
    delivery,
    latency_ms,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as Seen
}

/** Names of DNS answers are those that were seen before the call: the command line knows them of all threads. */
function withoutDns({ dns: _, ...end }: FullCall['src']): FullCall['src'] {
  return end
}

export async function onCommandLine(
  packets: readonly BuiltPacket[],
  inventory: Inventory,
  threads: number,
  entry: string,
): Promise<PathResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-paths-'))
  try {
    const file = join(folder, 'made.pcap')
    writeFileSync(file, pcapFile(packets))
    const settings = { inventory, kfl: '', now: 1_700_000_000_000, shape: 'full', keyLog: '' } as const
    const silent = { progress: nothing, damaged: nothing, fault: nothing }
    const { sorter } = await dissectFiles(
      [file],
      settings,
      { count: threads, entry: pathToFileURL(entry) },
      silent,
    )
    const calls = [...sorter.lines()].map((line) => shown(JSON.parse(line) as FullCall))
    const { flows } = sorter
    sorter.close()
    return sorted(calls, flows)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A dissection by so many threads, each with its share of the flows. */
export async function inDissection(
  packets: readonly BuiltPacket[],
  inventory: Inventory,
  threads: number,
): Promise<PathResult> {
  const collected = new Collected()
  const task = {
    ...{ files: [], folder: '', inventory, kfl: '', now: 0, threads, bodyBytes: BODY_BYTES },
    ...{ redaction: noRules, decrypt: false, captureSource: 'file', memory: 0 },
  }
  for (let shard = 0; shard < threads; shard++)
    await dissectShare(chunksOf(pcapFile(packets)), {
      ...{ task, catalog, node: 'n1', index: collected },
      shard: threads === 1 ? undefined : { index: shard, count: threads },
      onProgress: nothing,
    })
  return collected.result
}

/** Behind the first chunk, a share leaves out the packets of others before it reads them. */
async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.slice(at, at + CHUNK)
}

/** Of live calls also what the node reports as duplicates. */
export function liveOf(packets: readonly BuiltPacket[], inventory: Inventory) {
  const collected = new Collected()
  const resolver = createResolver(inventory)
  const calls = new LiveCalls({
    ...{ index: collected, node: 'n1', limits: { body: BODY_BYTES }, subscriptions: new Map() },
    packetsSince: nothing,
    targets: () => true,
    resolver: () => resolver,
    changed: nothing,
    holdUnfinished: () => false,
    fault: nothing,
  })
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  for (const { data, time, length } of packets)
    writer.packet(0, time, data, 0, data.length, length ?? data.length)
  calls.push(writer.take())
  calls.settleFlows()
  calls.end()
  const { copies, duplicates } = calls.counts
  return { result: collected.result, duplicates: { packets: copies, calls: duplicates } }
}

export async function inRewind(packets: readonly BuiltPacket[], inventory: Inventory): Promise<PathResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-paths-'))
  const ring = recorded(folder, packets)
  const parts = ring.hold(0, Number.MAX_SAFE_INTEGER)
  const collected = new Collected()
  try {
    await dissectWindow(
      new HeldSegments({ parts, oldest: ring.boundaries().oldest_ts }),
      {
        ...{ from: 0, to: Number.MAX_SAFE_INTEGER, parties: [] },
        call: (_call, record) => collected.add(record()),
        flow: (flow) => collected.appendFlow(flow),
        progress: () => true,
      },
      { node: 'n1', bodyBytes: BODY_BYTES, redactor: undefined, resolver: createResolver(inventory) },
    )
  } finally {
    for (const { fd } of parts) closeSync(fd)
    ring.close()
    rmSync(folder, { recursive: true })
  }
  return collected.result
}
