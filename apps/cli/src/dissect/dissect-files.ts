import { ShardPool } from '@tapdeck/parallel'
import { type Loss, sumLoss } from '@tapdeck/wire'
import { CallSorter } from './call-sorter.ts'
import { captureInputs, openInput } from './capture-input.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { type DissectCounts, type DissectSettings, DissectWork } from './dissect-work.ts'
import { compileFilter } from './filter-option.ts'
import { type ReadListener, type ReadResult, readCaptures } from './read-captures.ts'
import type { ThreadResult } from './thread-result.ts'
import type { ThreadTask } from './thread-task.ts'

export interface Dissected extends ReadResult {
  readonly sorter: CallSorter
  readonly loss: Loss
  readonly elapsedMs: number
}

export interface DissectListening extends ReadListener {
  fault(protocol: string, error: string): void
}

/** Where more than one thread is to work: how many, and the bundle that each runs. */
export interface DissectThreads {
  readonly count: number
  readonly entry: URL
}

/** Files → calls, without any server. The caller closes the sorter. The calls are the same with and without threads. */
export async function dissectFiles(
  files: readonly string[],
  settings: DissectSettings,
  threads: DissectThreads,
  listener: DissectListening,
): Promise<Dissected> {
  const started = performance.now()
  const sorter = new CallSorter(compileFilter(settings.kfl, settings.now), settings.shape)
  let pool: ShardPool | undefined
  try {
    const inputs = captureInputs(files)
    const { count, entry } = threads
    // This thread does the first share: as many threads as were asked for, and none that only looks on.
    const [own, ...others] = Array.from({ length: count }, (_, index) => ({ index, count }))
    const take = (result: ThreadResult, shard: number) => {
      if (result.kind === 'batch') sorter.add(result.batch, shard)
      else listener.fault(result.protocol, result.error)
    }
    if (others.length > 0)
      pool = new ShardPool({
        shards: others,
        entry,
        data: { inputs, settings, lines: sorter.linesFile } satisfies ThreadTask,
        take(result, shard, release) {
          take(result as ThreadResult, shard)
          release()
        },
      })
    const work = new DissectWork(
      settings,
      {
        batch: (batch) => sorter.add(batch, 0),
        fault: (protocol, error) => listener.fault(protocol, error),
      },
      pool && own,
    )
    const loss: Loss = {}
    const read = await readCaptures(inputs, new CaptureSequence(work), loss, listener, (input, damaged) => {
      const chunks = openInput(input, damaged, pool !== undefined)
      if (pool === undefined) return chunks
      return input.size === undefined ? pool.share(chunks) : pool.accompany(chunks)
    })
    const counts = [work.finish(), ...(((await pool?.end()) ?? []) as readonly DissectCounts[])]
    for (const { flows, byProtocol } of counts) sorter.count(flows, byProtocol)
    const all = sumLoss([loss, ...counts.map((one) => one.loss)])
    return { ...read, sorter, loss: all, elapsedMs: performance.now() - started }
  } catch (error) {
    // Threads write into the sorter's file: it may be closed when they have ended.
    await pool?.stop()
    sorter.close()
    throw error
  } finally {
    await pool?.stop()
  }
}
