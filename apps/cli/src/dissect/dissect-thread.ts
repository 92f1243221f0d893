import { serveShard } from '@tapdeck/parallel'
import { buffersOf } from './call-batch.ts'
import { openInput } from './capture-input.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { DissectWork } from './dissect-work.ts'
import { type ReadListener, readCaptures } from './read-captures.ts'
import { SpoolFile } from './spool-file.ts'
import type { ThreadResult } from './thread-result.ts'
import type { ThreadTask } from './thread-task.ts'

/** The main thread reads the same files and reports progress and damage. */
const silent: ReadListener = { progress: () => undefined, damaged: () => undefined }

/** Dissects a share of the flows, in a thread. */
export function serveDissectThread(): void {
  serveShard(async ({ shard, data, send, shared }) => {
    const { inputs, settings, lines } = data as ThreadTask
    const file = new SpoolFile(lines)
    const work = new DissectWork(
      settings,
      {
        batch(batch) {
          const { text } = batch
          if (!(text instanceof Uint8Array)) return undefined
          const sent = { ...batch, text: file.put(text) }
          const { bytes, buffers } = buffersOf(sent)
          send({ kind: 'batch', batch: sent } satisfies ThreadResult, bytes, buffers)
          return new Uint8Array(text.buffer)
        },
        fault: (protocol, error) =>
          send({ kind: 'fault', protocol, error } satisfies ThreadResult, error.length),
      },
      shard,
    )
    await readCaptures(inputs, new CaptureSequence(work), {}, silent, (input, damaged) =>
      input.size === undefined ? shared() : openInput(input, damaged, true),
    )
    return work.finish()
  })
}
