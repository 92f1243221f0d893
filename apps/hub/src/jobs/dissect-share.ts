import { addressAnswers, type Call, Dissection, type DissectionOptions } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import type { Catalog } from '@tapdeck/kfl'
import { DissectionSeries } from '@tapdeck/parallel'
import { createRedactor } from '@tapdeck/redact'
import { CaptureReader, type Flow, type Shard } from '@tapdeck/wire'
import { ownersOf } from '../events/owners-of.ts'
import { type DissectionTask, emptyTally, MOST_ERRORS, type ShareTally } from './dissection-task.ts'
import { filterOf } from './filter-calls.ts'
import { Flushes } from './flushes.ts'
import { PeerNames } from './peer-names.ts'

export interface Share {
  readonly task: DissectionTask
  readonly catalog: Catalog
  readonly node: string
  readonly index: CallIndex
  /** Whose flows; undefined: all. */
  readonly shard?: Shard | undefined
  /** After each stretch of the capture. What it awaits holds the dissection up; what it throws ends it. */
  told(tally: ShareTally): void | Promise<void>
}

/** Dissects a capture, or the flows of a shard of it, into an index. */
export async function dissectShare(chunks: AsyncIterable<Uint8Array>, share: Share): Promise<void> {
  const { index, shard, told } = share
  const tally = emptyTally()
  const series = new DissectionSeries(optionsOf(share, tally), shard)
  // What is wrong with the file itself is counted once.
  const reader = new CaptureReader(series, (shard?.index ?? 0) === 0 ? tally.loss : {})
  const flushes = new Flushes(index)
  for await (const chunk of chunks) {
    reader.push(chunk, true)
    tally.bytes = reader.bytes
    tally.packets = reader.packets
    await flushes.now(tally.calls)
    await told(tally)
  }
  reader.end()
  series.end()
  await flushes.end()
  await told(tally)
}

/** What one node's clients asked for says nothing of another's: each capture begins without names. */
function optionsOf({ task, catalog, node, index, shard }: Share, tally: ShareTally): DissectionOptions {
  const seen = new SeenNames()
  const filter = filterOf(task, node, catalog)
  const owners = ownersOf(task.files.find((file) => file.node === node)?.events)
  const names = new PeerNames(createResolver(task.inventory), seen, owners)
  const redactor = createRedactor(task.redaction)
  const keep = (call: Call) => {
    if (call.protocol === 'dns') learn(call, seen)
    const peers = names.of(call.flow, call.side, call.start)
    if (filter && !filter(call, peers)) return
    index.append(call, peers)
    tally.calls++
    tally.protocols[call.protocol] = (tally.protocols[call.protocol] ?? 0) + 1
  }
  const learnFrom = (call: Call) => learn(call, seen)
  const common = {
    limits: { body: task.bodyBytes },
    fault(error: unknown, protocol: string) {
      if (tally.errors.length < MOST_ERRORS) tally.errors.push(`${protocol}: ${String(error).slice(0, 200)}`)
    },
  }
  const tellsNames = task.protocols?.includes('dns') ?? true
  return {
    ...common,
    emit: redactor ? (call) => keep(redactor.call(call)) : keep,
    flow(flow: Flow) {
      index.appendFlow(flow, names.of(flow, 0, flow.start))
      tally.flows++
    },
    loss: tally.loss,
    ...(task.protocols && { enabled: task.protocols }),
    ...(shard &&
      tellsNames && {
        lookups: new Dissection({
          ...common,
          emit: redactor ? (call) => learnFrom(redactor.call(call)) : learnFrom,
          enabled: ['dns'],
        }),
      }),
  }
}

function learn(call: Call, seen: SeenNames): void {
  const told = addressAnswers(call)
  for (const { ip, ttl } of told?.addresses ?? []) seen.learn(told!.name, ip, call.end / 1000, ttl)
}
