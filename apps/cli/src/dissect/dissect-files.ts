import { Crew } from '@tapdeck/parallel'
import { type Loss, sumLoss } from '@tapdeck/wire'
import { CallSheet } from './call-sheet.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { type DissectCounts, type DissectSettings, DissectWork } from './dissect-work.ts'
import { compileFilter } from './filter-option.ts'
import { type ReadListener, type ReadResult, readCaptures } from './read-captures.ts'
import type { ThreadResult } from './thread-result.ts'

export interface Dissected extends ReadResult {
  readonly sheet: CallSheet
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

/** Files → calls, without any server. The caller closes the sheet. The calls are the same with and without threads. */
export async function dissectFiles(
  files: readonly string[],
  settings: DissectSettings,
  threads: DissectThreads,
  listener: DissectListening,
): Promise<Dissected> {
  const started = performance.now()
  const sheet = new CallSheet(compileFilter(settings.kfl, settings.now), settings.shape)
  try {
    const loss: Loss = {}
    const hands =
      threads.count > 1 ? inThreads(settings, threads, sheet, listener) : alone(settings, sheet, listener)
    const { read, counts } = await hands(files, loss)
    for (const { flows, byProtocol } of counts) sheet.count(flows, byProtocol)
    const all = sumLoss([loss, ...counts.map((one) => one.loss)])
    return { ...read, sheet, loss: all, elapsedMs: performance.now() - started }
  } catch (error) {
    sheet.close()
    throw error
  }
}

type Hands = (
  files: readonly string[],
  loss: Loss,
) => Promise<{ readonly read: ReadResult; readonly counts: readonly DissectCounts[] }>

function alone(settings: DissectSettings, sheet: CallSheet, listener: DissectListening): Hands {
  return async (files, loss) => {
    const work = new DissectWork(settings, {
      sheaf: (sheaf) => sheet.add(sheaf, 0),
      fault: (protocol, error) => listener.fault(protocol, error),
    })
    const read = await readCaptures(files, new CaptureSequence(work), loss, listener, async (chunk, walk) =>
      walk(chunk),
    )
    return { read, counts: [work.finish()] }
  }
}

function inThreads(
  settings: DissectSettings,
  { count, entry }: DissectThreads,
  sheet: CallSheet,
  listener: DissectListening,
): Hands {
  return async (files, loss) => {
    const crew = new Crew({
      threads: count,
      entry,
      data: settings,
      take(result, shard) {
        const told = result as ThreadResult
        if (told.kind === 'sheaf') sheet.add(told.sheaf, shard)
        else listener.fault(told.protocol, told.error)
      },
    })
    try {
      const read = await readCaptures(
        files,
        new CaptureSequence(crew.dealer),
        loss,
        listener,
        (chunk, walk) => crew.feed(chunk, walk),
      )
      return { read, counts: (await crew.end()) as readonly DissectCounts[] }
    } finally {
      await crew.stop()
    }
  }
}
