import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { captureFile } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

/** A hub with the configuration that it has by default, and a dissection of calls with credentials. */
const SECRET = 'n33dle-s3cret'
const OTHER = 'an-other-secret'
const T0 = 1_700_000_000_000
const MASKED = /masked-[0-9a-f]{12}/

const thread = threadForTests()
let hub: TestHub
beforeAll(async () => {
  hub = await startHub({ thread: thread(), set: [] })
  const talk = new Conversation({ client: '10.0.0.1', server: '10.0.0.2', start: T0 * 1000 }).handshake()
  for (const secret of [SECRET, SECRET, OTHER]) {
    const form = `user=joe&password=${secret}`
    talk
      .send(
        0,
        `POST /pay?access_token=${secret} HTTP/1.1\r\nhost: shop\r\nauthorization: Bearer ${secret}\r\ncookie: session=${secret}\r\ncontent-length: ${form.length}\r\n\r\n${form}`,
      )
      .send(1, `HTTP/1.1 200 OK\r\nset-cookie: session=${secret}; Path=/\r\ncontent-length: 0\r\n\r\n`)
  }
  talk.close()
  await hub.send('POST', '/api/snapshots/s1/import?node=n1', captureFile(talk.packets))
  await hub.send('POST', '/api/dissections', { snapshot_name: 's1', dissection_name: 'all' })
  await until(
    () => hub.get('/api/dissections/s1/all'),
    ({ json }) => json.status === 'completed',
  )
}, 240_000)
afterAll(() => hub?.stop())

const found = async (kfl: string) =>
  (await hub.get(`/mcp/calls?${new URLSearchParams({ db: 's1/all', format: 'full', kfl })}`)).json

it('gives no secret in any answer, and equal hashes for equal secrets', async () => {
  const { calls } = await found('http')
  const [first] = calls
  const answers = [
    calls,
    ...(await Promise.all(
      [
        `/mcp/calls/${encodeURIComponent(first.id)}?db=s1/all`,
        `/mcp/calls/${encodeURIComponent(first.id)}/explain?db=s1/all`,
        '/mcp/stats?db=s1/all&group_by=request.headers["authorization"]',
        '/mcp/topology?db=s1/all',
      ].map(async (path) => (await hub.get(path)).text),
    )),
    (
      await hub.send('POST', '/api/kfl/complete', {
        db: 's1/all',
        kfl: 'request.headers["authorization"] == "',
        cursor: 37,
      })
    ).text,
  ]
  for (const answer of answers) {
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    for (const secret of [SECRET, OTHER]) expect(text).not.toContain(secret)
  }
  const shown = calls.map(
    (call: { request: { headers: Record<string, string> } }) => call.request.headers.authorization,
  )
  expect(shown).toHaveLength(3)
  expect(new Set(shown).size).toBe(2)
  for (const value of shown) expect(value).toMatch(/^Bearer masked-[0-9a-f]{12}$/)
  const [hash] = MASKED.exec(JSON.stringify(first.request.headers))!
  expect(first.request).toMatchObject({
    query: { access_token: hash },
    cookies: { session: hash },
    body: `user=joe&password=${hash}`,
    credential: { hash, scheme: 'Bearer' },
  })
})

it('compares a filter with what is stored', async () => {
  const { calls } = await found('http')
  const value = calls[0].request.headers.authorization
  const hash = calls[0].request.credential.hash
  expect((await found(`request.headers["authorization"] contains "${SECRET}"`)).total).toBe(0)
  expect((await found(`request.body contains "${SECRET}"`)).total).toBe(0)
  const same = await found(`request.headers["authorization"] == "${value}"`)
  expect(same.total).toBeGreaterThan(0)
  expect((await found(`credential_hash == "${hash}"`)).total).toBe(same.total)
})
