import { constants, setPriority } from 'node:os'
import { CallPacker, protocols } from '@tapdeck/dissect'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import { createCatalog } from '@tapdeck/kfl'
import { DissectionSeries, serveShard } from '@tapdeck/parallel'
import { createRedactor } from '@tapdeck/redact'
import { ownersOf } from '../events/owners-of.ts'
import { filterOf } from './filter-calls.ts'
import { PeerNames } from './peer-names.ts'
import type { ShardFinds, ShardTask } from './shard-task.ts'

/** Bytes of calls that are handed over at once. */
const BATCH = 1 << 20

/** The entry of a thread that dissects its share of the flows for a job. */
serveShard(({ shard, data, send }) => {
  // Of this thread alone: whoever asks or records goes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const { task, node } = data as ShardTask
  const filter = filterOf(task, node, createCatalog(protocols))
  const owners = ownersOf(filter && task.files.find((file) => file.node === node)?.events)
  const names = new PeerNames(createResolver(task.inventory), new SeenNames(), owners)
  const redactor = createRedactor(task.redaction)
  const packer = new CallPacker()
  let faults: string[] = []
  let parcel = 0
  const series: DissectionSeries = new DissectionSeries(
    {
      emit(found) {
        const call = redactor ? redactor.call(found) : found
        const wanted = filter?.(call, names.of(call.flow, call.side, call.start)) ?? true
        // Names of addresses are learnt from all that DNS told.
        if (!wanted && call.protocol !== 'dns') return
        packer.add(call, series.place, wanted)
        if (packer.bytes >= BATCH) handOver()
      },
      flow(flow) {
        packer.close(flow, series.place)
        if (packer.bytes >= BATCH) handOver()
      },
      limits: { body: task.bodyBytes },
      ...(task.protocols && { enabled: task.protocols }),
      fault: (error, protocol) => void faults.push(`${protocol}: ${String(error).slice(0, 200)}`),
    },
    shard,
  )
  const handOver = () => {
    const calls = packer.take()
    const finds: ShardFinds = { parcel, calls, loss: { ...series.loss }, faults: faults.slice(0, 20) }
    faults = []
    send(finds, calls.length, [calls.buffer])
  }
  return {
    sink: series,
    settle() {
      if (packer.count > 0 || faults.length > 0) handOver()
      parcel++
    },
    finish() {
      // What ends with the capture comes after all that any thread read of it.
      series.place = 0
      series.end()
      handOver()
    },
  }
})
