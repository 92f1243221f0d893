import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** What one host did while indexing was off: directly from the recording, and in the live index once that is turned on. */

interface Page {
  readonly calls: { readonly id: string; readonly path?: string; readonly ts: number }[]
  readonly total_is: string
  readonly next_cursor: string | null
  readonly rewind?: { readonly read_bytes: number; readonly window_bytes: number; readonly packets: number }
  readonly why_empty?: { readonly reason: string }
}

const BULK = 300
const RARE = 10
let tapdeck: RunningTapdeck

beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.capture.dissection.enabled=false'])
  await traffic()
  await until(async () => (await recorded('src.ip == 127.0.0.9')).calls.length === RARE)
})
afterAll(() => tapdeck?.stop())

async function traffic(): Promise<void> {
  const server = createServer((_request, response) => response.end('x'.repeat(20_000)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = (path: string, localAddress: string) =>
    new Promise((resolve, reject) =>
      get({ host: '127.0.0.1', port, path, localAddress, agent: false }, (response) =>
        response.resume().on('end', resolve),
      ).on('error', reject),
    )
  for (let at = 0; at < BULK; at++) {
    await ask(`/bulk/${at}`, '127.0.0.3')
    if (at % (BULK / RARE) === 0) await ask(`/rare/${at}`, '127.0.0.9')
  }
  server.close()
}

const search = async (query: Record<string, string>): Promise<Page> =>
  (await tapdeck.get(`/mcp/calls?${new URLSearchParams(query)}`)) as Page
const recorded = (kfl: string, more: Record<string, string> = {}) =>
  search({ db: 'recording', kfl, limit: '1000', ...more })

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt++) {
    if (await holds()) return
    await sleep(250)
  }
  throw new Error('it did not come to pass')
}

async function dissected(): Promise<number> {
  const { nodes } = (await tapdeck.get('/api/status')) as { nodes: { packets_dissected: number }[] }
  return nodes[0]!.packets_dissected
}

test('the calls of one host are there, while indexing is off and stays off', async () => {
  const page = await recorded('src.ip == 127.0.0.9')
  expect(page.calls.map(({ path }) => path)).toEqual(
    Array.from({ length: RARE }, (_, at) => `/rare/${(RARE - 1 - at) * (BULK / RARE)}`),
  )
  expect(page.total_is).toBe('exact')
  expect(page.rewind!.packets).toBeLessThan(RARE * 40)
  expect((await search({})).why_empty?.reason).toBe('indexing_paused')
  expect(await tapdeck.get('/mcp/dissection')).toEqual({ enabled: false })
  expect(await dissected()).toBe(0)
})

test('a call is found again by its id, and pages give each call once', async () => {
  const { calls } = await recorded('path contains "bulk"')
  expect(calls.length).toBe(BULK)
  const one = (await tapdeck.get(`/mcp/calls/${calls[7]!.id}?db=recording`)) as {
    path: string
    response: object
  }
  expect(one).toMatchObject({ path: calls[7]!.path, response: { status: 200 } })
  const paged: string[] = []
  let cursor: string | undefined
  do {
    const page = await recorded('path contains "bulk"', {
      limit: '70',
      ...(cursor !== undefined && { cursor }),
    })
    paged.push(...page.calls.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(paged).toEqual(calls.map(({ id }) => id))
})

test('turning indexing on indexes the last minutes behind it', async () => {
  expect(await tapdeck.post('/mcp/dissection/enable')).toEqual({ success: true, enabled: true })
  await until(async () => (await search({ kfl: 'src.ip == 127.0.0.9', limit: '1000' })).calls.length === RARE)
  const bulk = () => search({ kfl: 'path contains "bulk"', limit: '1000' })
  await until(async () => (await bulk()).calls.length === BULK)
  expect((await bulk()).calls.map(({ id }) => id)).toEqual(
    (await recorded('path contains "bulk"')).calls.map(({ id }) => id),
  )
})
