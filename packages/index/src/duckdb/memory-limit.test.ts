import { expect, it } from 'vitest'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { QueryTooLarge } from '../query-too-large.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { Engine } from './engine.ts'
import { openIndex, openIndexInChunks } from './open-index.ts'

it('refuses a query that needs more memory than there is for it, and answers the next one', async () => {
  const engine = await Engine.start('/nowhere', 64 * 1024 ** 2, true)
  const groups = "SELECT 'a rather long name of a group ' || i, count(*) FROM range(3000000) t(i) GROUP BY 1"
  await expect(engine.rows(`SELECT count(*) FROM (${groups})`)).rejects.toThrow(QueryTooLarge)
  await expect(engine.rows('SELECT list(i) FROM range(9000000) t(i)')).rejects.toThrow(/more memory/)
  expect(await engine.rows('SELECT 1')).toEqual([[1]])
  engine.stop()
})

it('estimates percentiles of more calls than there is memory for, says so, and takes exact ones of fewer', () =>
  inFolder(openIndex, async (open) => {
    const index = await open({ memory: 48 * 100 })
    const flow = sampleFlow()
    for (let ordinal = 0; ordinal < 150; ordinal++)
      index.append(
        sampleCall({
          flow,
          ordinal,
          start: DAWN + ordinal * 1000,
          status: ordinal < 60 ? 200 : 503,
          latency: 100_000 + ordinal,
        }),
        samplePeers(flow),
      )
    await index.flush()
    const asked = { group_by: 'status', limit: 10 } as const
    const { groups: all } = await index.stats({ ...asked, filter: everything })
    expect(all.map(({ group, calls, percentiles_are }) => [group, calls, percentiles_are])).toEqual([
      ['503', 90, 'estimate'],
      ['200', 60, 'estimate'],
    ])
    for (const { latency_p50_ms, latency_p99_ms } of all)
      for (const value of [latency_p50_ms, latency_p99_ms])
        expect(Math.abs(Number(value) / 100 - 1)).toBeLessThan(0.01)
    const { groups: few } = await index.stats({ ...asked, filter: kfl('response.status == 200') })
    expect(few[0]).toMatchObject({ group: '200', calls: 60, latency_p50_ms: 100.0295 })
    expect(few[0].percentiles_are).toBeUndefined()
    const { groups: first } = await index.stats({ ...asked, filter: everything, end: (DAWN + 9_500) / 1000 })
    expect(first[0].calls).toBe(10)
    expect(first[0].percentiles_are).toBeUndefined()
  }))

it('says from when on calls were counted where payloads decide and there are more than can be read', () =>
  inFolder(openIndex, async (open) => {
    const index = await open({ memory: 48 * 100 })
    const flow = sampleFlow()
    for (let ordinal = 0; ordinal < 150; ordinal++)
      index.append(sampleCall({ flow, ordinal, start: DAWN + ordinal * 1_000_000 }), samplePeers(flow))
    await index.flush()
    const asked = { group_by: 'proto', limit: 10, filter: kfl('request.headers["x"] == ""') } as const
    const cut = await index.stats(asked)
    expect(cut.counted_from_ts).toBe(DAWN / 1000 + 50_000)
    expect(cut.groups[0]).toMatchObject({ calls: 100, rate: 100 / 99 })
    const whole = await index.stats({ ...asked, start: DAWN / 1000 + 100_000 })
    expect(whole.counted_from_ts).toBeUndefined()
    expect(whole.groups[0].calls).toBe(50)
  }))

it(
  'estimates percentiles where the names of groups are too long for a table of all calls',
  { timeout: 60_000 },
  () =>
    inFolder(
      (folder, options, catalog) =>
        openIndexInChunks(folder, options, catalog, {
          rows: 20_000,
          groups: { chunksAtOnce: 2, chunksOfMany: 2 },
        }),
      async (open) => {
        const memory = 64 * 1024 ** 2
        const index = await open({ memory })
        const flow = sampleFlow()
        const peers = samplePeers(flow)
        const long = 'x'.repeat(1500)
        for (let ordinal = 0; ordinal < 60_000; ordinal++) {
          index.append(sampleCall({ flow, ordinal, path: `/${long}/${'abc'[ordinal % 3]}` }), peers)
          if (ordinal % 10_000 === 0) await index.flush()
        }
        await index.close()
        const again = await open({ memory, readOnly: true })
        const asked = { filter: everything, limit: 10 } as const
        const { groups } = await again.stats({ ...asked, group_by: 'path' })
        expect(groups.map(({ calls, percentiles_are }) => [calls, percentiles_are])).toEqual(
          Array(3).fill([20_000, 'estimate']),
        )
        expect((await again.stats({ ...asked, group_by: 'proto' })).groups[0].percentiles_are).toBeUndefined()
      },
    ),
)
