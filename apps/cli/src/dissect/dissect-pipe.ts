import { fstatSync } from 'node:fs'
import { type Loss, sumLoss } from '@tapdeck/wire'
import { CALL, CALL_NUMBERS, type CallBatch } from './call-batch.ts'
import { readsLate } from './call-encoder.ts'
import { openInput } from './capture-input.ts'
import { CaptureSequence } from './capture-sequence.ts'
import type { Dissected, DissectListening } from './dissect-files.ts'
import { type DissectSettings, DissectWork } from './dissect-work.ts'
import { compileFilter } from './filter-option.ts'
import { Page } from './page.ts'
import { readCaptures } from './read-captures.ts'

const STANDARD_INPUT = 0

/** Whether calls can be printed when they are complete: the only input is a pipe, and the filter needs nothing of later packets. */
export function isLivePipe(files: readonly string[], kfl: string, now: number, descriptor = STANDARD_INPUT) {
  if (files.length !== 1 || files[0] !== '-' || readsLate(compileFilter(kfl, now))) return false
  const stat = fstatSync(descriptor)
  return stat.isFIFO() || stat.isSocket()
}

/** What a pipe came to. The calls were passed on before. */
export interface PipeResult extends Omit<Dissected, 'sorter' | 'elapsedMs'> {
  readonly sorter: { readonly flows: number; readonly byProtocol: Readonly<Record<string, number>> }
}

/** The calls of standard input, each passed on as a line of JSON as soon as the packets that were read complete it. */
export async function dissectPipe(
  settings: DissectSettings,
  listener: DissectListening,
  print: (lines: Buffer) => Promise<void>,
): Promise<PipeResult> {
  const lines = new CallLines()
  const work = new DissectWork(settings, {
    batch: (batch) => lines.add(batch),
    fault: (protocol, error) => listener.fault(protocol, error),
  })
  const loss: Loss = {}
  const read = await readCaptures(
    [{ file: '-', size: undefined }],
    new CaptureSequence(work),
    loss,
    listener,
    async function* (input, damaged) {
      for await (const chunk of openInput(input, damaged, false)) {
        yield chunk
        work.handOver()
        await print(lines.take())
      }
    },
  )
  const counts = work.finish()
  await print(lines.take())
  const { flows, byProtocol } = counts
  return { ...read, loss: sumLoss([loss, counts.loss]), sorter: { flows, byProtocol } }
}

/** Batches of calls as lines. What is known only once a flow has ended is not in them. */
class CallLines {
  #page = new Page()
  #full: Buffer[] = []

  add({ count, numbers, text }: CallBatch): undefined {
    if (!(text instanceof Uint8Array)) throw new Error('the lines of a pipe are in memory')
    for (let row = 0; row < count; row++) {
      const base = row * CALL_NUMBERS
      const begin = row === 0 ? 0 : numbers[base - CALL_NUMBERS + CALL.end]!
      this.#page.add(text, numbers, base, begin, undefined, undefined)
      // A page is true until the next turn but one.
      if (this.#page.end()) this.#full.push(Buffer.from(this.#page.turn()))
    }
  }

  take(): Buffer {
    const all = Buffer.concat([...this.#full, this.#page.turn()])
    this.#full = []
    return all
  }
}
