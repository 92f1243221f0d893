import type { Call } from '@tapdeck/dissect'
import { Crew } from '@tapdeck/parallel'
import { openCaptureFile, plainSize, readChunksOf } from '@tapdeck/recording'
import { type Flow, type Loss, sumLoss } from '@tapdeck/wire'
import type { DissectionTask } from './dissection-task.ts'
import { ShardMerge } from './shard-merge.ts'
import type { PlainFiles, ShardFinds, ShardTask } from './shard-task.ts'

export interface ThreadedDissection {
  readonly threads: number
  /** The bundle that each thread runs. */
  readonly entry: URL
  readonly task: DissectionTask
  readonly node: string
  /** A call that is not wanted may still tell names. */
  call(call: Call, wanted: boolean): void
  flow(flow: Flow): void
  fault(text: string): void
  /** Now and then: how much all threads have read, and lost. What it awaits holds them up; what it throws ends them. */
  progress(bytes: number, packets: number, loss: Loss): Promise<void>
}

/** Files that are read one after the other as if they were one, or what comes out of them. */
export type CaptureSource = readonly string[] | AsyncIterable<Uint8Array>

/** Dissects one capture in several threads; calls and flows come in the order in which one would have found them. */
export async function dissectInThreads(source: CaptureSource, dissection: ThreadedDissection): Promise<void> {
  const { threads: count, entry, task, node } = dissection
  const files = plainFiles(source)
  const told: ShardFinds[] = []
  const merge = new ShardMerge(count, dissection)
  const crew = new Crew({
    shards: Array.from({ length: count }, (_, index) => ({ index, count })),
    entry,
    data: { task, node, files } satisfies ShardTask,
    take(result, shard, release) {
      const finds = result as ShardFinds
      told[shard] = finds
      for (const fault of finds.faults) dissection.fault(fault)
      merge.add(finds, shard, release)
      return progress()
    },
  })
  const progress = () => {
    const all = Object.values(told)
    const slowest = all.reduce((one, other) => (other.bytes < one.bytes ? other : one))
    return dissection.progress(slowest.bytes, slowest.packets, sumLoss(all.map(({ loss }) => loss)))
  }
  try {
    if (files === undefined) for await (const _ of crew.share(openCaptureFile(chunksOf(source))));
    await crew.end()
  } finally {
    await crew.stop()
  }
}

/** Undefined where only one can read them. */
function plainFiles(source: CaptureSource): PlainFiles | undefined {
  if (!isPaths(source)) return undefined
  const files: PlainFiles[number][] = []
  for (const path of source) {
    const size = plainSize(path)
    if (size === undefined) return undefined
    files.push({ path, size })
  }
  return files
}

/** What `openCaptureFile` takes. */
export function chunksOf(source: CaptureSource): string | AsyncIterable<Uint8Array> {
  if (!isPaths(source)) return source
  return source.length === 1 ? source[0]! : readChunksOf(source)
}

function isPaths(source: CaptureSource): source is readonly string[] {
  return Array.isArray(source)
}
