import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { afterEach, expect, test } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const catalog = createCatalog(protocols)
let hub: TestHub
afterEach(() => hub.stop())

const search = async (query: string) =>
  (await hub.get(`/mcp/kfl/search?${new URLSearchParams({ query })}`)).json

test('fields are found by words of their name and meaning, the nearest name first', async () => {
  hub = await startHub()
  const { fields, total, values_are } = await search('retransmissions tcp')
  expect(fields[0]).toMatchObject({ name: 'tcp.retransmissions' })
  expect([total, values_are]).toEqual([fields.length, 'unavailable'])
  expect((await search('status')).fields[0].name).toBe('status')
  expect(await search('zzzznothing')).toMatchObject({ fields: [], total: 0, values: [] })
  expect(JSON.stringify(await search('e')).length).toBeLessThan(16_000)
})

test('values come with a filter that selects them, and those that do not match are left out', async () => {
  hub = await startHub()
  const asked: string[] = []
  await hub.worker('n1', {
    values({ field }) {
      asked.push(field)
      const values = field === 'dst.svc' ? [{ value: 'Checkout "a"', calls: 7 }] : []
      return { values: field === 'path' ? [{ value: '[redacted]', calls: 9 }] : values }
    },
  })
  const { values, values_are } = await search('checkout')
  expect([values, values_are]).toEqual([
    [{ field: 'dst.svc', value: 'Checkout "a"', calls: 7, kfl: expect.stringContaining('dst.svc == ') }],
    'observed',
  ])
  expect(() => compile(values[0].kfl, catalog)).not.toThrow()
  for (const field of asked) expect(catalog.find(field), field).toBeDefined()
})
