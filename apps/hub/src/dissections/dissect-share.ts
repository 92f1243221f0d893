import { Dissection, type DissectionOptions } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import type { Catalog } from '@tapdeck/kfl'
import { RestartableDissection } from '@tapdeck/parallel'
import { Pipeline } from '@tapdeck/pipeline'
import { createRedactor } from '@tapdeck/redact'
import { CaptureReader, type Shard } from '@tapdeck/wire'
import { ownersOf } from '../events/owners-of.ts'
import { type DissectionTask, emptyTally, MAX_ERRORS, type ShareTally } from './dissection-task.ts'
import { filterOf } from './filter-calls.ts'
import { FlushScheduler } from './flush-scheduler.ts'
import { TaskKeys } from './task-keys.ts'

export interface Share {
  readonly task: DissectionTask
  readonly catalog: Catalog
  readonly node: string
  readonly index: Pick<CallIndex, 'append' | 'appendFlow' | 'flush'>
  /** Whose flows; undefined: all. */
  readonly shard?: Shard | undefined
  /** After each stretch of the capture. What it awaits holds the dissection up; what it throws ends it. */
  onProgress(tally: ShareTally): void | Promise<void>
}

/** Dissects a capture, or the flows of a shard of it, into an index. */
export async function dissectShare(chunks: AsyncIterable<Uint8Array>, share: Share): Promise<void> {
  const { index, shard, onProgress } = share
  const tally = emptyTally()
  const keys = new TaskKeys(share.task, share.node)
  const series = new OpeningDissection({ ...optionsOf(share, tally), keys: () => keys.source }, shard, keys)
  // What is wrong with the file itself is counted once.
  const reader = new CaptureReader(series, (shard?.index ?? 0) === 0 ? tally.loss : {})
  const flushScheduler = new FlushScheduler(index)
  for await (const chunk of chunks) {
    reader.push(chunk, true)
    tally.bytes = reader.bytes
    tally.packets = reader.packets
    await flushScheduler.now(tally.calls)
    await onProgress(tally)
  }
  reader.end()
  series.end()
  await flushScheduler.end()
  await onProgress(tally)
}

/** Packets → calls, with the secrets that the capture itself has. */
class OpeningDissection extends RestartableDissection {
  readonly #keys: TaskKeys

  constructor(options: DissectionOptions, shard: Shard | undefined, keys: TaskKeys) {
    super(options, shard)
    this.#keys = keys
  }

  secrets(type: number, data: Uint8Array): void {
    this.#keys.addBlock(type, data)
  }
}

/** What one node's clients asked for says nothing of another's: each capture begins without names. */
function optionsOf({ task, catalog, node, index, shard }: Share, tally: ShareTally): DissectionOptions {
  const filter = filterOf(task, node, catalog)
  const resolver = createResolver(task.inventory)
  const redactor = createRedactor(task.redaction)
  if (task.credentialKey !== undefined) redactor?.setKey(Buffer.from(task.credentialKey, 'hex'))
  const pipeline = new Pipeline(
    {
      names: {
        resolver: () => resolver,
        dns: new SeenNames(),
        owners: ownersOf(task.files.find((file) => file.node === node)?.events),
      },
      redaction: redactor,
      ...(filter && { filter }),
    },
    {
      call(call) {
        const peers = pipeline.name(call)
        if (peers === undefined) return
        index.append(call, peers)
        tally.calls++
        count(tally.protocols, call.protocol)
        if (call.tls !== undefined) count(tally.decrypted, call.protocol)
      },
      flow(flow, name) {
        index.appendFlow(flow, name(flow))
        tally.flows++
      },
    },
  )
  const common = {
    limits: { body: task.bodyBytes },
    fault(error: unknown, protocol: string) {
      if (tally.errors.length < MAX_ERRORS) tally.errors.push(`${protocol}: ${String(error).slice(0, 200)}`)
    },
  }
  const providesNames = task.protocols?.includes('dns') ?? true
  return {
    ...common,
    ...pipeline.handlers,
    loss: tally.loss,
    concealDecrypted: true,
    ...(task.protocols && { enabled: task.protocols }),
    ...(shard &&
      providesNames && {
        lookups: new Dissection({
          ...common,
          emit: (call) => pipeline.learn(redactor?.call(call) ?? call),
          enabled: ['dns'],
        }),
      }),
  }
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
