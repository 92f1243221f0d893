import { serveShard } from '@tapdeck/parallel'
import { type DissectSettings, DissectWork } from './dissect-work.ts'
import { buffersOf } from './sheaf.ts'
import type { ThreadResult } from './thread-result.ts'

/** The entry of a thread that dissects its share of the flows. */
serveShard(({ shard, data, send }) => {
  const work = new DissectWork(
    data as DissectSettings,
    {
      sheaf(sheaf) {
        const { bytes, buffers } = buffersOf(sheaf)
        send({ kind: 'sheaf', sheaf } satisfies ThreadResult, bytes, buffers)
      },
      fault: (protocol, error) =>
        send({ kind: 'fault', protocol, error } satisfies ThreadResult, error.length),
    },
    shard,
  )
  return { sink: work, finish: () => work.finish() }
})
