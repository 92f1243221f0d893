import { join } from 'node:path'
import { type Call, Dissection, toCallRecord } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { createResolver, type Resolver } from '@tapdeck/inventory'
import { type Catalog, compile, type Filter } from '@tapdeck/kfl'
import { openCaptureFile } from '@tapdeck/recording'
import { CaptureReader, type Flow } from '@tapdeck/wire'
import { captureSource, type DissectionTask, type Tally } from './dissection-task.ts'
import { namePeers } from './name-peers.ts'

const FLUSH_CALLS = 20_000
/** What was found becomes visible to those who ask meanwhile. */
const FLUSH_EVERY_MS = 1000
const MOST_ERRORS = 20

export interface DissectionWatcher {
  /** After each stretch of a file. What it awaits holds the dissection up. */
  progress(tally: Tally): void | Promise<void>
  /** The index of the file at work, which can be asked meanwhile; undefined between two. */
  index(index: CallIndex | undefined, file: number): void
}

/** Dissects captures one after the other, each into an index of its own under the name of its node. */
export async function dissectFiles(
  task: DissectionTask,
  catalog: Catalog,
  watcher: DissectionWatcher,
): Promise<Tally> {
  const tally: Tally = {
    files: 0,
    bytes: 0,
    totalBytes: task.files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    packets: 0,
    calls: 0,
    flows: 0,
    protocols: {},
    loss: {},
    errors: [],
  }
  const resolver = createResolver(task.inventory)
  const filter = task.kfl.trim() === '' ? undefined : compile(task.kfl, catalog, Date.now())
  for (const [at, { node, path, size_bytes }] of task.files.entries()) {
    const index = await openIndex(
      join(task.folder, String(at)),
      { node, captureSource, maxBytes: 0, memory: task.memory },
      catalog,
    )
    watcher.index(index, at)
    try {
      if (size_bytes > 0) await dissectFile(path, node, index, { task, tally, resolver, filter, watcher })
      await index.flush()
    } finally {
      watcher.index(undefined, at)
      await index.close()
    }
    tally.files = at + 1
  }
  return tally
}

interface Bench {
  readonly task: DissectionTask
  readonly tally: Tally
  readonly resolver: Resolver
  readonly filter: Filter | undefined
  readonly watcher: DissectionWatcher
}

async function dissectFile(path: string, node: string, index: CallIndex, bench: Bench): Promise<void> {
  const { task, tally, watcher } = bench
  let unflushed = 0
  let flushed = Number.NEGATIVE_INFINITY
  const dissection = new Dissection({
    emit: (call) => {
      if (keep(call, node, index, bench)) unflushed++
    },
    flow: (flow) => keepFlow(flow, index, bench),
    loss: tally.loss,
    limits: { body: task.bodyBytes },
    ...(task.protocols && { enabled: task.protocols }),
    fault: (error, protocol) => {
      if (tally.errors.length < MOST_ERRORS) tally.errors.push(`${protocol}: ${String(error).slice(0, 200)}`)
    },
  })
  const reader = new CaptureReader(dissection, tally.loss)
  const [bytesBefore, packetsBefore] = [tally.bytes, tally.packets]
  for await (const chunk of openCaptureFile(path)) {
    reader.push(chunk)
    tally.bytes = bytesBefore + reader.bytes
    tally.packets = packetsBefore + reader.packets
    const due = unflushed > 0 && performance.now() - flushed > FLUSH_EVERY_MS
    if (due || unflushed >= FLUSH_CALLS) {
      unflushed = 0
      await index.flush()
      flushed = performance.now()
    }
    await watcher.progress(tally)
  }
  reader.end()
  dissection.end()
  await watcher.progress(tally)
}

function keep(call: Call, node: string, index: CallIndex, { resolver, filter, tally }: Bench): boolean {
  const peers = namePeers(call.flow, call.side, call.start, resolver)
  if (filter && !filter.matches(toCallRecord(call, peers, node, captureSource))) return false
  index.append(call, peers)
  tally.calls++
  tally.protocols[call.protocol] = (tally.protocols[call.protocol] ?? 0) + 1
  return true
}

function keepFlow(flow: Flow, index: CallIndex, { resolver, tally }: Bench): void {
  index.appendFlow(flow, namePeers(flow, 0, flow.start, resolver))
  tally.flows++
}
