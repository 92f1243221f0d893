import { serveShard } from '@tapdeck/parallel'
import { openInput } from './capture-input.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { DissectWork } from './dissect-work.ts'
import { type ReadListener, readCaptures } from './read-captures.ts'
import { buffersOf } from './sheaf.ts'
import { SpoolFile } from './spool-file.ts'
import type { ThreadResult } from './thread-result.ts'
import type { ThreadTask } from './thread-task.ts'

/** What there is to say of the files says the thread that started this one, which reads them as well. */
const nobody: ReadListener = { progress: () => undefined, damaged: () => undefined }

/** The entry of a thread that dissects its share of the flows. */
serveShard(async ({ shard, data, send, shared }) => {
  const { inputs, settings, lines } = data as ThreadTask
  const file = new SpoolFile(lines)
  const work = new DissectWork(
    settings,
    {
      sheaf(sheaf) {
        const { text } = sheaf
        if (!(text instanceof Uint8Array)) return undefined
        const sent = { ...sheaf, text: file.put(text) }
        const { bytes, buffers } = buffersOf(sent)
        send({ kind: 'sheaf', sheaf: sent } satisfies ThreadResult, bytes, buffers)
        return new Uint8Array(text.buffer)
      },
      fault: (protocol, error) =>
        send({ kind: 'fault', protocol, error } satisfies ThreadResult, error.length),
    },
    shard,
  )
  await readCaptures(inputs, new CaptureSequence(work), {}, nobody, (input, damaged) =>
    input.size === undefined ? shared() : openInput(input, damaged, true),
  )
  return work.finish()
})
