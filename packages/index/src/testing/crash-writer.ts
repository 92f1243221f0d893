import { writeSync } from 'node:fs'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { openIndex } from '../duckdb/open-index.ts'
import { bodyOf, podOf } from './crash-body.ts'
import { sampleCall, samplePeers } from './sample-call.ts'
import { DAWN, sampleFlow } from './sample-flow.ts'

/*
 * A process that writes until it is killed, and says after each flush how many calls it has promised to keep.
 * Arguments: the folder, the ordinal of the first call, calls a flush, and hashes a body.
 */
async function main(): Promise<void> {
  const [folder, first, each, hashes] = process.argv.slice(2)
  const options = {
    node: 'node-1',
    captureSource: 'file',
    maxBytes: 256 * 1024 * 1024,
    memory: 128 * 1024 * 1024,
  }
  const index = await openIndex(folder, options, createCatalog(protocols))
  const flow = sampleFlow({ id: Number(first) + 1, handshake: 10 })
  for (let ordinal = Number(first); ; ) {
    for (const end = ordinal + Number(each); ordinal < end; ordinal++)
      index.append(
        sampleCall({
          flow,
          ordinal,
          start: DAWN + ordinal,
          path: `/${ordinal}`,
          body: bodyOf(ordinal, Number(hashes)),
        }),
        samplePeers(flow, { pod: podOf(ordinal) }),
      )
    await index.flush()
    writeSync(1, `${ordinal}\n`)
  }
}

void main()
