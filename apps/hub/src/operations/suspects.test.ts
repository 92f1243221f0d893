import { afterAll, beforeAll, expect, it } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { type Exchange, IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const FAULT = DAWN + 2 * MINUTE

let hub: TestHub
const workers: IndexWorker[] = []

/** Calls once a second in the minutes from one to another. */
function minutes(from: number, to: number, exchange: (at: number) => Omit<Exchange, 'at'>): Exchange[] {
  return Array.from({ length: (to - from) * 60 }, (_, at) => ({
    at: DAWN + from * MINUTE + at * 1000 + 7,
    ...exchange(at),
  }))
}

beforeAll(async () => {
  const [one, two] = [await IndexWorker.open('n1'), await IndexWorker.open('n2')]
  workers.push(one, two)
  await one.add([
    // The database is slow from the third minute on; orders and web suffer from it.
    ...minutes(0, 4, (at) => ({ client: 'web', service: 'orders', latency: at < 120 ? 12 : 420 })),
    ...minutes(0, 4, (at) => ({ client: 'orders', service: 'db', latency: at < 120 ? 3 : 400 })),
    // Noise: errors that are always there.
    ...minutes(0, 4, (at) => ({ client: 'web', service: 'static', status: at % 9 === 0 ? 404 : 200 })),
  ])
  await two.add([
    ...minutes(0, 4, (at) => ({ client: 'web', service: 'static', latency: 5 + (at % 4) })),
    ...minutes(0, 4, (at) => ({
      client: 'teller',
      service: 'vault',
      ns: 'bank',
      status: at < 150 ? 200 : 500,
    })),
  ])
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.narrow.capabilities={dissection:live}',
      'tap.auth.roles.narrow.namespaces={shop}',
    ],
  })
  await hub.worker('n1', one.answers)
  await hub.worker('n2', two.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  for (const worker of workers) await worker.close()
})

const admin = () => giveToken(hub.folder, 'svc-admin').headers
const narrow = () => giveToken(hub.folder, 'narrow').headers

interface Suspect {
  rank: number
  kind: string
  severity: string
  what: string
  began_at: string
  kfl: string
  evidence: string[]
  explains: number[]
  explained_by?: number
  client: { name: string }
  server: { name: string }
}

it('names the callee that explains its callers first, since when, with calls that show it', async () => {
  const { status, json } = await hub.get('/api/suspects', narrow())
  expect(status).toBe(200)
  expect(json.baseline_is).toBe('before_change')
  const [db, web] = json.suspects as Suspect[]
  expect(db).toMatchObject({
    kind: 'slower',
    severity: 'high',
    client: { name: 'orders' },
    server: { name: 'db' },
  })
  expect(db?.began_at).toBe(new Date(FAULT + 7).toISOString())
  expect(db?.explains).toEqual([2])
  expect(web).toMatchObject({ server: { name: 'orders' }, explained_by: 1 })
  const { json: call } = await hub.get(`/api/calls/${db?.evidence[0]}`, narrow())
  expect(call).toMatchObject({ dst: { svc: 'db' } })
  expect(Math.floor(call.ts)).toBe(FAULT + 7)
  const { json: page } = await hub.get(
    `/api/calls?limit=1&kfl=${encodeURIComponent(db?.kfl ?? '')}`,
    narrow(),
  )
  expect(page.total).toBe(120)
  expect(json.summary).toContain('db')
})

it('shows a caller of one namespace nothing of another', async () => {
  const { text } = await hub.get('/api/suspects', narrow())
  expect(text).not.toMatch(/vault|teller|bank/)
  const { json } = await hub.get('/api/suspects', admin())
  const vault = (json.suspects as Suspect[]).find(({ server }) => server.name === 'vault')
  expect(vault).toMatchObject({ kind: 'failing', began_at: new Date(DAWN + 150_007).toISOString() })
})

it('compares with the baseline that is given, and takes a filter', async () => {
  const times = `start=${DAWN + MINUTE}&end=${FAULT - 1}&baseline_start=${DAWN}&baseline_end=${DAWN + MINUTE - 1}`
  const { json: healthy } = await hub.get(`/api/suspects?${times}`, admin())
  expect(healthy.baseline_is).toBe('given')
  expect(healthy.suspects.filter(({ severity }: Suspect) => severity !== 'note')).toEqual([])
  expect(healthy.summary).toMatch(/Nothing changed.*calls between \d+ pairs/)
  const { json: filtered } = await hub.get('/api/suspects?kfl=dst.svc%20%3D%3D%20%22static%22', admin())
  expect(filtered.suspects.filter(({ severity }: Suspect) => severity !== 'note')).toEqual([])
})

it('without any call in the window says so, and refuses a wrong filter or window', async () => {
  const { json } = await hub.get(`/api/suspects?end=${DAWN - 1}`, admin())
  expect(json).toMatchObject({ suspects: [], window: { calls: 0 } })
  expect((await hub.get('/api/suspects?kfl=nonsense%20%3D', admin())).status).toBe(400)
  expect((await hub.get('/api/suspects?start=5&end=4', admin())).status).toBe(400)
})
