import { afterAll, beforeAll, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)

let hub: TestHub
const workers: IndexWorker[] = []
beforeAll(async () => {
  hub = await startHub()
  for (const node of ['n1', 'n2']) {
    const worker = await IndexWorker.open(node)
    workers.push(worker)
    const calls = Array.from({ length: 9 }, (_, i) => ({
      ...{
        at: DAWN + i,
        client: `${node === 'n1' || i % 2 ? 'web' : 'job'}-${i}`,
        service: `service-${i % 4}`,
      },
    }))
    await worker.add(calls)
    await hub.worker(node, worker.answers)
  }
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  for (const worker of workers) await worker.close()
})

const page = async (query: string) => (await hub.get(`/api/flows?${query}`)).json
const keyOf = ({ proto, client, server }: Row) => JSON.stringify([proto, client, server])
interface Row {
  readonly proto: string
  readonly client: unknown
  readonly server: unknown
}

it('pages in the order of keys have each row of all nodes once', async () => {
  const view = '&aggregate=service'
  const all = (await page(`limit=1000${view}`)).flows as Row[]
  expect(all.length).toBeGreaterThan(3)
  const rows: Row[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const next: { flows: Row[]; next_cursor: string | null } = await page(
      `order=key&limit=3${view}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    expect(next.flows.length).toBeGreaterThan(0)
    rows.push(...next.flows)
    cursor = next.next_cursor
  }
  const byKey = (list: Row[]) => list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  expect(byKey(rows)).toEqual(byKey(all))
})

it('refuses a cursor that is damaged, of another view, or without the order of keys', async () => {
  const { next_cursor: cursor } = await page('order=key&aggregate=service&limit=1')
  expect(cursor).toEqual(expect.any(String))
  for (const query of [
    `cursor=${cursor}`,
    `order=key&aggregate=pod&cursor=${cursor}`,
    'order=key&cursor=AAAA',
  ])
    expect(await page(query)).toMatchObject({ status: 400, code: 'bad_cursor' })
})
