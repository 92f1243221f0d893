import { constants, setPriority } from 'node:os'
import { CallPacker, protocols } from '@tapdeck/dissect'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import { createCatalog } from '@tapdeck/kfl'
import { DissectionSeries, serveShard } from '@tapdeck/parallel'
import { readPlainFile } from '@tapdeck/recording'
import { createRedactor } from '@tapdeck/redact'
import { CaptureReader } from '@tapdeck/wire'
import { ownersOf } from '../events/owners-of.ts'
import { filterOf } from './filter-calls.ts'
import { PeerNames } from './peer-names.ts'
import type { PlainFiles, ShardFinds, ShardTask } from './shard-task.ts'

/** Bytes of calls that are handed over at once. */
const BATCH = 1 << 20

/** The entry of a thread that dissects its share of the flows for a job. */
serveShard(async ({ shard, data, send, shared }) => {
  // Of this thread alone: whoever asks or records goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const { task, node, files } = data as ShardTask
  const filter = filterOf(task, node, createCatalog(protocols))
  const owners = ownersOf(filter && task.files.find((file) => file.node === node)?.events)
  const names = new PeerNames(createResolver(task.inventory), new SeenNames(), owners)
  const redactor = createRedactor(task.redaction)
  const packer = new CallPacker()
  let faults: string[] = []
  const series: DissectionSeries = new DissectionSeries(
    {
      emit(found) {
        const call = redactor ? redactor.call(found) : found
        const wanted = filter?.(call, names.of(call.flow, call.side, call.start)) ?? true
        // Names of addresses are learnt from all that DNS told.
        if (!wanted && call.protocol !== 'dns') return
        packer.add(call, series.place, wanted)
        if (packer.bytes >= BATCH) handOver(series.place)
      },
      flow(flow) {
        packer.close(flow, series.place)
        if (packer.bytes >= BATCH) handOver(series.place)
      },
      limits: { body: task.bodyBytes },
      ...(task.protocols && { enabled: task.protocols }),
      fault: (error, protocol) => void faults.push(`${protocol}: ${String(error).slice(0, 200)}`),
    },
    shard,
  )
  // What is wrong with the file itself is counted once.
  const reader = new CaptureReader(series, shard.index === 0 ? series.loss : {})
  const handOver = (place: number) => {
    const { bytes, packets } = reader
    const calls = packer.take()
    const loss = { ...series.loss }
    const finds: ShardFinds = { calls, place, bytes, packets, loss, faults: faults.slice(0, 20) }
    faults = []
    send(finds, calls.length, [calls.buffer])
  }
  for await (const chunk of files === undefined ? shared() : readAll(files)) {
    reader.push(chunk, true)
    // Also where there is nothing to tell: what others found meanwhile waits for this.
    handOver(series.place + 1)
  }
  reader.end()
  series.end()
  handOver(Number.MAX_SAFE_INTEGER)
})

async function* readAll(files: PlainFiles): AsyncGenerator<Uint8Array> {
  for (const { path, size } of files) yield* readPlainFile(path, size)
}
