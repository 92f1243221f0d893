import { join } from 'node:path'
import { addressAnswers, type Call, Dissection, unpackExchange } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import type { Catalog } from '@tapdeck/kfl'
import { ChosenPackets, openCaptureFile } from '@tapdeck/recording'
import { createRedactor } from '@tapdeck/redact'
import { CaptureReader, type Flow, sumLoss } from '@tapdeck/wire'
import { ownersOf } from '../events/owners-of.ts'
import { type CaptureSource, chunksOf, dissectInThreads } from './dissect-in-threads.ts'
import { type DissectionTask, ofSnapshot, type Tally } from './dissection-task.ts'
import { type CallFilter, filterOf, readsSeenNames } from './filter-calls.ts'
import { Flushes } from './flushes.ts'
import { nodeAddress } from './node-address.ts'
import { PeerNames } from './peer-names.ts'
import { wantedPackets } from './wanted-packets.ts'

const MOST_ERRORS = 20
/** Smaller files are done before threads have started. */
const WORTH_THREADS = 16_000_000

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
  shardThread: URL,
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
  const mayShare = task.threads > 1 && !readsSeenNames(task, catalog)
  const wanted = wantedPackets(task, catalog)
  for (const [at, { node, paths, size_bytes, events }] of task.files.entries()) {
    const index = await openIndex(
      join(task.folder, String(at)),
      {
        node,
        captureSource: task.captureSource,
        maxBytes: 0,
        memory: task.memory,
        ...nodeAddress(task, node),
        packetsSince: ofSnapshot,
      },
      catalog,
    )
    watcher.index(index, at)
    try {
      // What one node's clients asked for says nothing of another's: each begins without names.
      const seen = new SeenNames()
      const filter = filterOf(task, node, catalog)
      const names = new PeerNames(resolver, seen, ownersOf(events))
      const flushes = new Flushes(index)
      const bench: Bench = { task, tally, names, seen, filter, watcher, flushes }
      if (wanted && size_bytes > 0) {
        const chosen = wanted.length > 0 ? await ChosenPackets.open(paths, wanted) : undefined
        const before = tally.bytes
        if (chosen) tally.totalBytes += chosen.readBytes + chosen.chosenBytes - size_bytes
        if (mayShare && (chosen?.chosenBytes ?? size_bytes) > WORTH_THREADS)
          await dissectShared(chosen ?? paths, node, index, bench, shardThread)
        else await dissectFile(chosen ?? paths, index, bench)
        if (chosen) tally.bytes = before + chosen.readBytes
      }
      await flushes.end()
    } finally {
      watcher.index(undefined, at)
      try {
        await index.close()
      } finally {
        Object.assign(tally.loss, sumLoss([tally.loss, index.loss]))
      }
    }
    tally.files = at + 1
  }
  return tally
}

interface Bench {
  readonly task: DissectionTask
  readonly tally: Tally
  readonly names: PeerNames
  readonly seen: SeenNames
  readonly filter: CallFilter | undefined
  readonly watcher: DissectionWatcher
  readonly flushes: Flushes
}

async function dissectFile(source: CaptureSource, index: CallIndex, bench: Bench): Promise<void> {
  const { task, tally, watcher } = bench
  const redactor = createRedactor(task.redaction)
  const dissection = new Dissection({
    emit: redactor ? (call) => keep(redactor.call(call), index, bench) : (call) => keep(call, index, bench),
    flow: (flow) => keepFlow(flow, index, bench),
    loss: tally.loss,
    limits: { body: task.bodyBytes },
    ...(task.protocols && { enabled: task.protocols }),
    fault: (error, protocol) => tellFault(`${protocol}: ${String(error).slice(0, 200)}`, tally),
  })
  const reader = new CaptureReader(dissection, tally.loss)
  const [bytesBefore, packetsBefore] = [tally.bytes, tally.packets]
  for await (const chunk of openCaptureFile(chunksOf(source))) {
    reader.push(chunk, true)
    tally.bytes = bytesBefore + reader.bytes
    tally.packets = packetsBefore + reader.packets
    await bench.flushes.now(tally.calls)
    await watcher.progress(tally)
  }
  reader.end()
  dissection.end()
  await watcher.progress(tally)
}

/** The same by several threads, each with its share of the flows; they filter, and what comes here is kept. */
async function dissectShared(
  source: CaptureSource,
  node: string,
  index: CallIndex,
  bench: Bench,
  entry: URL,
): Promise<void> {
  const { task, tally, watcher } = bench
  const before = { bytes: tally.bytes, packets: tally.packets, loss: { ...tally.loss } }
  const open: Bench = { ...bench, filter: undefined }
  const shut: Bench = { ...bench, filter: () => false }
  await dissectInThreads(source, {
    threads: task.threads,
    entry,
    task,
    node,
    call: (call, wanted) => keep(call, index, wanted ? open : shut),
    flow: (flow) => keepFlow(flow, index, bench),
    fault: (text) => tellFault(text, tally),
    async progress(bytes, packets, loss) {
      tally.bytes = before.bytes + bytes
      tally.packets = before.packets + packets
      Object.assign(tally.loss, sumLoss([before.loss, loss]))
      await bench.flushes.now(tally.calls)
      await watcher.progress(tally)
    },
  })
}

function tellFault(text: string, { errors }: Tally): void {
  if (errors.length < MOST_ERRORS) errors.push(text)
}

function keep(call: Call, index: CallIndex, bench: Bench): void {
  const { names, seen, filter, tally } = bench
  if (call.protocol === 'dns') learn(call, seen)
  const peers = names.of(call.flow, call.side, call.start)
  if (filter && !filter(call, peers)) return
  index.append(call, peers)
  tally.calls++
  tally.protocols[call.protocol] = (tally.protocols[call.protocol] ?? 0) + 1
}

function learn(call: Call, seen: SeenNames): void {
  const { packed } = call
  const told = addressAnswers(packed === undefined ? call : { ...call, ...unpackExchange('dns', packed) })
  for (const { ip, ttl } of told?.addresses ?? []) seen.learn(told!.name, ip, call.end / 1000, ttl)
}

function keepFlow(flow: Flow, index: CallIndex, { names, tally }: Bench): void {
  index.appendFlow(flow, names.of(flow, 0, flow.start))
  tally.flows++
}
