import { expect, test, vi } from 'vitest'
import { RowExtras, type RowExtrasOptions } from './row-extras.ts'

type Query = Parameters<RowExtrasOptions['fetchRows']>[0]

const rows = [
  { id: 'b', ts: 20.5 },
  { id: 'a', ts: 10.5 },
]

function extras(
  answer: (query: Query) => readonly object[],
  options: Partial<RowExtrasOptions> = {},
): { readonly made: RowExtras; readonly asked: Query[] } {
  const asked: Query[] = []
  const made = new RowExtras({
    db: undefined,
    kfl: 'proto == "http"',
    paths: ['src.ns'],
    rules: [],
    fetchRows: async (query) => {
      asked.push(query)
      return answer(query)
    },
    wait: async () => {},
    ...options,
  })
  return { made, asked }
}

test('values of added fields are asked for once, by the window of the rows', async () => {
  const { made, asked } = extras(() => [
    { id: 'a', src: { ns: 'shop' } },
    { id: 'b', src: {} },
  ])
  made.want(rows)
  await vi.waitUntil(() => made.has('a'))
  made.want(rows)
  expect(asked).toEqual([
    { db: undefined, start: 10, end: 22, limit: 1000, kfl: 'proto == "http"', fields: 'id,src.ns' },
  ])
  expect(made.readValue('a', 'src.ns')).toBe('shop')
  expect(made.readValue('b', 'src.ns')).toBeUndefined()
})

test('the first rule that matches decides the colour', async () => {
  const { made, asked } = extras(
    ({ kfl }) => (kfl.includes('slow') ? [{ id: 'a' }] : [{ id: 'a' }, { id: 'b' }]),
    {
      paths: [],
      rules: [
        { kfl: 'slow', color: 'orange' },
        { kfl: 'has(error)', color: 'red' },
      ],
    },
  )
  made.want(rows)
  await vi.waitUntil(() => made.has('b'))
  expect([made.colorOf('a'), made.colorOf('b')]).toEqual(['orange', 'red'])
  expect(asked[1]?.kfl).toBe('(proto == "http") and (slow)')
})

test('a call that the index does not have yet is asked for again, but not for ever', async () => {
  let answers = 0
  const { made, asked } = extras(() => {
    answers += 1
    return answers < 3 ? [{ id: 'a', src: { ns: 'shop' } }] : []
  })
  made.want(rows)
  await vi.waitUntil(() => asked.length === 5)
  await Promise.resolve()
  made.want(rows)
  expect(asked.length).toBe(5)
  expect([made.has('a'), made.has('b')]).toEqual([true, false])
})

test('nothing is asked where nothing is added', () => {
  const { made, asked } = extras(() => [], { paths: [] })
  made.want(rows)
  expect([made.isNeeded, asked.length]).toEqual([false, 0])
})
