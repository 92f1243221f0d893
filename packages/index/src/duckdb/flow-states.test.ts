import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { everything, inFolder } from '../contract/check.ts'
import { inSmallChunks } from '../testing/in-small-chunks.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { chunkNumbers } from './chunk.ts'
import { openIndex } from './open-index.ts'

const MIB = 1024 * 1024
const CHUNKS = 4

it('says the same of the flow of a call, whether it is asked for alone or among others', () =>
  inFolder(openIndex, async (open, folder) => {
    const index = await open({ maxBytes: 32 * MIB })
    // Flow n is over in chunk n; the last one never is. From its second chunk on each speaks another protocol too.
    const flows = Array.from({ length: CHUNKS + 1 }, (_, n) =>
      sampleFlow({ id: n + 1, clientPort: 1000 + n }),
    )
    for (let chunk = 0, ordinal = 0; chunk < CHUNKS; chunk++) {
      for (; chunkNumbers(readdirSync(folder)).length === chunk + 1; ordinal++) {
        for (const [n, flow] of flows.entries()) {
          if (flow.closed) continue
          flow.last = DAWN + ordinal * 1000 + 500
          flow.directions[0].packets++
          const call = sampleCall({
            flow,
            ordinal,
            start: DAWN + ordinal * 1000,
            body: randomBytes(4000).toString('hex'),
          })
          const protocol = chunk > 0 && ordinal % 2 === 0 ? `spoken-${n % 2}` : 'http'
          index.append({ ...call, protocol }, samplePeers(flow))
        }
        if (ordinal % 10 === 0) await index.flush()
      }
      flows[chunk].closed = 'fin'
      index.appendFlow(flows[chunk], samplePeers(flows[chunk]))
      await index.flush()
    }
    await index.close()
    const again = await open({ readOnly: true })
    const { calls } = await again.calls({ filter: everything, limit: 1000, order: 'oldest', flows: true })
    const more = await again.calls({ filter: everything, limit: 100, order: 'newest', flows: true })
    const some = [...calls, ...more.calls].filter((_, i) => i % 17 === 0)
    expect(some.length).toBeGreaterThan(40)
    for (const { id, flow } of some) expect([id, (await again.call(id))?.flow]).toEqual([id, flow])
    expect(new Set(some.map(({ flow }) => flow?.state))).toEqual(new Set(['closed', 'in_progress']))
    expect(new Set(some.map(({ flow }) => flow?.l7_detected?.length))).toEqual(new Set([1, 2]))
  }))

it('knows the flow of a call that came after it, into the next of many chunks', () =>
  inFolder(inSmallChunks, async (open) => {
    const index = await open()
    const flows = Array.from({ length: 5 }, (_, n) => sampleFlow({ id: n + 1 }))
    for (const flow of flows) {
      index.append(sampleCall({ flow }), samplePeers(flow))
      await index.flush()
      flow.closed = 'fin'
      index.appendFlow(flow, samplePeers(flow))
      await index.flush()
      index.append(sampleCall({ flow, ordinal: 1 }), samplePeers(flow))
      await index.flush()
    }
    await index.close()
    const again = await open({ readOnly: true })
    const { calls } = await again.calls({ filter: everything, limit: 100, order: 'oldest', flows: true })
    expect(calls.map(({ flow }) => flow?.state)).toEqual(Array(10).fill('closed'))
    for (const { id, flow } of calls) expect((await again.call(id))?.flow).toEqual(flow)
  }))
