import type { Call } from '@tapdeck/dissect'
import { Crew } from '@tapdeck/parallel'
import { openCaptureFile } from '@tapdeck/recording'
import { CaptureReader, type Flow, type Loss, sumLoss } from '@tapdeck/wire'
import { ShardMerge } from './shard-merge.ts'
import type { ShardFinds, ShardTask } from './shard-task.ts'

export interface ThreadedDissection {
  readonly threads: number
  /** The bundle that each thread runs. */
  readonly entry: URL
  readonly task: ShardTask
  /** A call that is not wanted may still tell names. */
  call(call: Call, wanted: boolean): void
  flow(flow: Flow): void
  fault(text: string): void
  /** Between two parcels: how much was read, and lost. What it awaits holds the threads up; what it throws ends them. */
  progress(bytes: number, packets: number, loss: Loss): Promise<void>
}

const END = new Uint8Array(0)

/** Dissects one capture in several threads; calls and flows come in the order in which one would have found them. */
export async function dissectInThreads(
  source: string | AsyncIterable<Uint8Array>,
  dissection: ThreadedDissection,
): Promise<void> {
  const ledgers: Loss[] = []
  const readerLoss: Loss = {}
  const merge = new ShardMerge(dissection.threads, dissection)
  const crew = new Crew({
    threads: dissection.threads,
    entry: dissection.entry,
    data: dissection.task,
    take(result, shard) {
      const finds = result as ShardFinds
      ledgers[shard] = finds.loss
      for (const fault of finds.faults) dissection.fault(fault)
      merge.add(finds, shard)
    },
    parcelTaken() {
      merge.parcelTaken()
      return progress()
    },
  })
  const reader = new CaptureReader(crew.dealer, readerLoss)
  const progress = () =>
    dissection.progress(reader.bytes, reader.packets, sumLoss([readerLoss, ...Object.values(ledgers)]))
  try {
    for await (const chunk of openCaptureFile(source)) await crew.feed(chunk, (bytes) => reader.push(bytes))
    await crew.feed(END, () => reader.end())
    await crew.end()
    merge.end()
    await progress()
  } finally {
    await crew.stop()
  }
}
