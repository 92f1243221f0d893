import { Problem } from '@tapdeck/api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallSource } from './call-source.ts'
import { type CallsQuery, type MergedCalls, mergedCalls } from './merged-calls.ts'

interface Row {
  readonly ts: number
  readonly id: string
}

/** A source whose cursor is the number of rows before it; `most` is how many it gives at once, whatever is asked. */
function source(node: string, times: readonly number[], most = 1000): CallSource {
  return {
    node,
    async ask(question, input) {
      expect(question).toBe('calls')
      const { limit, order, cursor = '0' } = input as { limit: number; order: string; cursor?: string }
      const rows = times
        .toSorted((a, b) => (order === 'newest' ? b - a : a - b))
        .map((ts, at): Row => ({ ts, id: `${node}/${at}` }))
      const from = Number(cursor)
      const page = rows.slice(from, from + Math.min(limit, most))
      const end = from + page.length
      return {
        calls: page,
        total: rows.length,
        total_is: 'exact',
        cursors: page.map((_, at) => String(from + at + 1)),
        ...(end < rows.length && { next_cursor: String(end) }),
      } as never
    },
  }
}

const query: CallsQuery = { kfl: '', limit: 10, order: 'newest', format: 'compact' }

describe('one list of several nodes', () => {
  it('is in order, without a gap or a repeat, at any page size', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(times, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('newest' as const, 'oldest' as const),
        fc.integer({ min: 1, max: 5 }),
        async (lists, limit, order, most) => {
          const sources = lists.map((list, at) => source(`n${at}`, list, most))
          const seen: Row[] = []
          let cursor: string | null = null
          do {
            const page: MergedCalls = await mergedCalls(sources, {
              ...query,
              limit,
              order,
              cursor: cursor ?? undefined,
            })
            expect(page.total).toBe(lists.flat().length)
            expect(page.calls.length).toBeLessThanOrEqual(limit)
            seen.push(...(page.calls as Row[]))
            expect(page.next_cursor === null || page.calls.length > 0).toBe(true)
            expect(seen.length).toBeLessThanOrEqual(lists.flat().length)
            cursor = page.next_cursor
            expect(page.truncated).toBe(cursor !== null)
          } while (cursor !== null)
          const all = lists.flat().toSorted((a, b) => (order === 'newest' ? b - a : a - b))
          expect(seen.map(({ ts }) => ts)).toEqual(all)
          expect(new Set(seen.map(({ id }) => id)).size).toBe(all.length)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('goes on past pages that hold nothing yet, but not for ever', async () => {
    let asked = 0
    const scanning: CallSource = {
      node: 'n1',
      async ask(_question, input) {
        const { cursor = '0' } = input as { cursor?: string }
        asked++
        return {
          calls: [],
          total: 0,
          total_is: 'at_least',
          cursors: [],
          next_cursor: String(Number(cursor) + 1),
        } as never
      },
    }
    const page = await mergedCalls([scanning], query)
    expect(page).toMatchObject({ calls: [], truncated: true, total_is: 'at_least' })
    const before = asked
    await mergedCalls([scanning], { ...query, cursor: page.next_cursor! })
    expect(asked).toBe(2 * before)
  })

  it('reports which nodes are missing, and fails where all are', async () => {
    const broken: CallSource = {
      node: 'n2',
      ask: () => Promise.reject(new Problem(503, 'worker_lost', 'gone')),
    }
    const page = await mergedCalls([source('n1', [1, 2]), broken], query)
    expect(page).toMatchObject({ total: 2, missing: [{ name: 'n2', reason: 'gone' }] })
    await expect(mergedCalls([broken], query)).rejects.toMatchObject({ status: 503 })
    const wrong: CallSource = { node: 'n3', ask: () => Promise.reject(new Problem(400, 'bad_cursor', 'no')) }
    await expect(mergedCalls([wrong], query)).rejects.toMatchObject({ status: 400 })
    const rest = await mergedCalls([source('n1', [1]), wrong], query)
    expect(rest).toMatchObject({ total: 1, missing: [{ name: 'n3', reason: 'no' }] })
  })

  it('leaves out a node that joined after the first page, and names one that left', async () => {
    const nodes = [source('n1', [1, 3, 5]), source('n2', [2, 4])]
    const first = await mergedCalls(nodes, { ...query, limit: 1 })
    const next = await mergedCalls([nodes[0]!, source('n3', [9])], { ...query, cursor: first.next_cursor! })
    expect(next.calls.map(({ ts }) => ts)).toEqual([3, 1])
    expect(next.missing).toEqual([{ name: 'n2', reason: 'not connected' }])
  })

  it('fetches full calls in smaller pages', async () => {
    const limits: number[] = []
    const inner = source(
      'n1',
      Array.from({ length: 500 }, (_, at) => at),
    )
    const watched: CallSource = {
      node: 'n1',
      ask: (question, input) => {
        limits.push((input as { limit: number }).limit)
        return inner.ask(question, input)
      },
    }
    const page = await mergedCalls([watched], { ...query, limit: 250, format: 'full' })
    expect(page.calls).toHaveLength(250)
    expect(limits).toEqual([100, 100, 50])
  })

  it('takes no cursor that it did not give', async () => {
    for (const cursor of ['', 'abc', btoa('[]'), btoa('{}'), btoa('{"n1":1}')])
      await expect(mergedCalls([source('n1', [1])], { ...query, cursor })).rejects.toMatchObject({
        status: 400,
        code: 'bad_cursor',
      })
  })
})
