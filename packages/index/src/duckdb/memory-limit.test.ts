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
    const [few] = await index.stats({ ...asked, filter: kfl('response.status == 200') })
    expect(few).toMatchObject({ group: '200', calls: 60 })
    const [first] = await index.stats({ ...asked, filter: everything, end: (DAWN + 9_500) / 1000 })
    expect(first.calls).toBe(10)
  }))
