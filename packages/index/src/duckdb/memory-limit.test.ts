import { expect, it } from 'vitest'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { QueryTooLarge } from '../query-too-large.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { Engine } from './engine.ts'
import { openIndex } from './open-index.ts'

it('refuses a query that needs more memory than there is for it, and answers the next one', async () => {
  const engine = await Engine.start('/nowhere', 64 * 1024 ** 2, true)
  const groups = "SELECT 'a rather long name of a group ' || i, count(*) FROM range(3000000) t(i) GROUP BY 1"
  await expect(engine.rows(`SELECT count(*) FROM (${groups})`)).rejects.toThrow(QueryTooLarge)
  await expect(engine.rows('SELECT list(i) FROM range(9000000) t(i)')).rejects.toThrow(/more memory/)
  expect(await engine.rows('SELECT 1')).toEqual([[1]])
  engine.stop()
})

it('refuses percentiles of more calls than their memory is for, says how many, and takes them of fewer', () =>
  inFolder(openIndex, async (open) => {
    const index = await open({ memory: 48 * 100 })
    const flow = sampleFlow()
    for (let ordinal = 0; ordinal < 150; ordinal++)
      index.append(
        sampleCall({ flow, ordinal, start: DAWN + ordinal * 1000, status: ordinal < 60 ? 200 : 503 }),
        samplePeers(flow),
      )
    await index.flush()
    const asked = { group_by: 'status', limit: 10 } as const
    const refused = index.stats({ ...asked, filter: everything })
    await expect(refused).rejects.toThrow(QueryTooLarge)
    await expect(refused).rejects.toThrow(/150 calls.*100/)
    await expect(refused).rejects.toHaveProperty('hint', expect.stringMatching(/narrow/i))
    const { groups: few } = await index.stats({ ...asked, filter: kfl('response.status == 200') })
    expect(few[0]).toMatchObject({ group: '200', calls: 60 })
    const { groups: first } = await index.stats({ ...asked, filter: everything, end: (DAWN + 9_500) / 1000 })
    expect(first[0].calls).toBe(10)
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
