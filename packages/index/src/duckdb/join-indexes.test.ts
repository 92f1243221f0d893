import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { expect, it } from 'vitest'
import type { CallIndex } from '../call-index.ts'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { joinIndexes } from './join-indexes.ts'
import { openIndex } from './open-index.ts'

const catalog = createCatalog(protocols)
const FLOWS = 6
const CALLS = 40

/** The calls of some flows, which come up in turns with those of the others. */
async function fill(index: CallIndex, isMine: (flow: number) => boolean): Promise<void> {
  const flows = Array.from({ length: FLOWS }, (_, i) =>
    sampleFlow({ id: 1000 + i, client: `10.0.0.${1 + (i % 3)}`, clientPort: 40_000 + i, handshake: 50 + i }),
  )
  for (let ordinal = 0; ordinal < CALLS; ordinal++)
    for (const [i, flow] of flows.entries())
      if (isMine(i)) {
        const status = (ordinal + i) % 5 === 0 ? 500 : 200
        const start = DAWN + ordinal * 1000 + (i % 2)
        index.append(
          sampleCall({
            flow,
            ordinal,
            start,
            status,
            path: pathOf(i, ordinal),
            body: `told ${i} ${ordinal}`,
          }),
          samplePeers(flow, { pod: `web-${i % 3}` }),
        )
      }
  await index.flush()
}

/** What is asked for most of all is in no part what is asked for most. */
function pathOf(flow: number, ordinal: number): string {
  return ordinal % 4 === 0 ? '/common' : `/own/${flow}`
}

/** Everything that an index says of them. */
async function told(index: CallIndex): Promise<unknown> {
  const pages: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await index.calls({
      filter: everything,
      limit: 25,
      order: 'newest',
      flows: true,
      ...(cursor !== undefined && { cursor }),
    })
    pages.push(page.calls.map((call) => call.toJSON()))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }
  const { size_bytes, ...summary } = await index.summary()
  const failing = { filter: kfl('status == 500'), limit: 100 } as const
  return {
    pages,
    summary,
    some: (await index.calls({ ...failing, order: 'oldest' })).total,
    found: await index.count(kfl('response.body contains "told 3"'), {}),
    values: await index.values({ field: catalog.find('path')!, prefix: '', filter: everything, limit: 1 }),
    stats: await index.stats({ filter: everything, group_by: 'src', limit: 10 }),
    flows: await index.flows({ limit: 100, order: 'bytes' }),
    one: (await index.call('node-1/1004/7'))?.toJSON(),
  }
}

it('indexes that share no flow are one index once they are joined', () =>
  inFolder(openIndex, async (_, folder) => {
    const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 256 * 1024 ** 2 }
    const parts = [0, 1, 2].map((part) => join(folder, 'joined', `part-${part}`))
    mkdirSync(join(folder, 'joined'))
    for (const [at, part] of parts.entries()) {
      const index = await openIndex(part, options, catalog)
      await fill(index, (flow) => flow % parts.length === at)
      await index.close()
    }
    joinIndexes(join(folder, 'joined'), parts)
    expect(readdirSync(join(folder, 'joined'))).toEqual(['chunk-000001', 'chunk-000002', 'chunk-000003'])
    const whole = await openIndex(join(folder, 'whole'), options, catalog)
    await fill(whole, () => true)
    await whole.close()
    const [joined, single] = await Promise.all(
      ['joined', 'whole'].map(async (name) => {
        const index = await openIndex(join(folder, name), { ...options, readOnly: true }, catalog)
        try {
          return await told(index)
        } finally {
          await index.close()
        }
      }),
    )
    expect(joined).toEqual(single)
  }))
