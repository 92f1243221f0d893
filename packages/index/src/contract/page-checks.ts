import assert from 'node:assert/strict'
import { BadCursor, type CallPage, type CallQuery } from '@tapdeck/questions'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, everything, idsOf, kfl, withIndex } from './check.ts'

const flow = sampleFlow()
const other = sampleFlow({ id: 12 })

/** Calls at the given milliseconds after dawn; several may share one. */
async function add(index: CallIndex, first: number, times: readonly number[]): Promise<void> {
  for (const [i, time] of times.entries()) {
    const of = i % 3 === 0 ? other : flow
    const body = `{"n":${first + i}}`
    const status = i % 4 === 0 ? 500 : 200
    index.append(
      sampleCall({ flow: of, ordinal: first + i, start: DAWN + time * 1000, body, status }),
      samplePeers(of, {}, { svc: 'orders' }),
    )
  }
  await index.flush()
}

async function allPages(
  index: CallIndex,
  query: CallQuery,
  between?: () => Promise<void>,
): Promise<readonly CallPage[]> {
  const pages = [await index.calls(query)]
  for (
    let cursor = pages[0].next_cursor;
    cursor !== undefined;
    cursor = pages[pages.length - 1].next_cursor
  ) {
    await between?.()
    pages.push(await index.calls({ ...query, cursor }))
    assert.ok(pages.length < 200, 'pages without end')
  }
  return pages
}

const TIMES = Array.from({ length: 60 }, (_, i) => (i * 7) % 20)

/** Order, pages, cursors and totals. */
export const pageChecks: readonly Check[] = [
  {
    name: 'gives each call once, in order, whatever the page size and the filter',
    run: (open) =>
      withIndex(open, async (index) => {
        await add(index, 0, TIMES)
        for (const filter of [everything, kfl('status == 500'), kfl('response.body contains "1"')])
          for (const order of ['newest', 'oldest'] as const) {
            const whole = await index.calls({ filter, order, limit: 1000 })
            assert.equal(whole.total, whole.calls.length)
            assert.equal(whole.total_is, 'exact')
            assert.equal(whole.next_cursor, undefined)
            const times = whole.calls.map(({ ts }) => ts)
            assert.deepEqual(
              times,
              times.toSorted((a, b) => (order === 'newest' ? b - a : a - b)),
            )
            for (const limit of [1, 7, 59, 60]) {
              const pages = await allPages(index, { filter, order, limit })
              assert.deepEqual(pages.flatMap(idsOf), idsOf(whole))
            }
          }
      }),
  },
  {
    name: 'goes on after any call by the cursor of that call',
    run: (open) =>
      withIndex(open, async (index) => {
        await add(index, 0, TIMES)
        for (const filter of [everything, kfl('response.body contains "1"')]) {
          const whole = await index.calls({ filter, order: 'newest', limit: 1000 })
          assert.equal(whole.cursors.length, whole.calls.length)
          for (const [i, cursor] of whole.cursors.entries()) {
            const rest = await index.calls({ filter, order: 'newest', limit: 1000, cursor })
            assert.deepEqual(idsOf(rest), idsOf(whole).slice(i + 1))
          }
        }
      }),
  },
  {
    name: 'keeps cursors right while older and newer calls arrive',
    run: (open) =>
      withIndex(open, async (index) => {
        await add(index, 0, TIMES)
        const query = { filter: everything, order: 'newest' as const, limit: 7 }
        const before = idsOf(await index.calls({ ...query, limit: 1000 }))
        let next = 1000
        const pages = await allPages(index, query, async () => {
          if (next < 1100) await add(index, next, [25, 30, 1, 11])
          next += 10
        })
        const seen = pages.flatMap(idsOf)
        assert.equal(new Set(seen).size, seen.length, 'a call came twice')
        assert.deepEqual(
          seen.filter((id) => before.includes(id)),
          before,
        )
      }),
  },
  {
    name: 'refuses a cursor from elsewhere',
    run: (open) =>
      withIndex(open, async (index) => {
        await add(index, 0, TIMES)
        const query = { filter: everything, order: 'newest' as const, limit: 5 }
        const { next_cursor: cursor = '' } = await index.calls(query)
        for (const bad of ['', 'x', '!!', cursor.slice(1), `${cursor}A`, 'A'.repeat(4000)])
          await assert.rejects(index.calls({ ...query, cursor: bad }), BadCursor)
        await assert.rejects(index.calls({ ...query, cursor, order: 'oldest' }), BadCursor)
        await assert.rejects(index.calls({ ...query, cursor, filter: kfl('http') }), BadCursor)
        await assert.rejects(index.calls({ ...query, cursor, start: 5 }), BadCursor)
      }),
  },
  {
    name: 'tells the whole number on every page where columns decide, and at least what it found otherwise',
    run: (open) =>
      withIndex(open, async (index) => {
        await add(index, 0, TIMES)
        for (const { total, total_is } of await allPages(index, {
          filter: kfl('status == 500'),
          order: 'newest',
          limit: 4,
        })) {
          assert.equal(total, 15)
          assert.equal(total_is, 'exact')
        }
        const loose = await index.calls({
          filter: kfl('response.body contains "n"'),
          order: 'newest',
          limit: 4,
        })
        assert.equal(loose.total_is, 'at_least')
        assert.ok(loose.total >= 4 && loose.total <= 60)
        assert.equal(await index.count(kfl('response.body contains "n"'), {}), 60)
        assert.equal(await index.count(kfl('status == 500'), {}), 15)
      }),
  },
]
