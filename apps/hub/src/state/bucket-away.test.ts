import { afterEach, beforeEach, expect, test } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { giveToken } from '../testing/give-token.ts'
import { openBucketState } from '../testing/open-bucket-state.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import type { BucketState } from './bucket-state.ts'

const bucket = bucketForTests()
let state: BucketState
let hub: TestHub
let headers: { authorization: string }
const set = ['hub.state=s3', 'tap.auth.enabled=true']

beforeEach(async () => {
  ;({ state } = await openBucketState(bucket.server, { folder: 'one' }))
  hub = await startHub({ state, set })
  ;({ headers } = giveToken(hub.folder, 'svc-admin'))
})
afterEach(async () => {
  bucket.server.fault = () => undefined
  await hub.stop()
  await state.close()
})

const send = (method: string, path: string, body?: unknown) => hub.send(method, path, body, headers)
const action = { kind: 'log' }
const changes = [
  ['POST', '/api/agents', { name: 'two', kfl: 'http', actions: [action] }],
  ['POST', '/api/agents/one/disable'],
  ['DELETE', '/api/agents/one'],
  ['POST', '/api/tokens', { name: 'two', role: 'svc-viewer' }],
  ['POST', '/api/recordings', { name: 'two' }],
  ['POST', '/api/recordings/one/stop'],
  ['PUT', '/api/saved-filters/two', { kfl: 'dns' }],
  ['DELETE', '/api/saved-filters/one'],
  ['PUT', '/api/targets', { regex: '^two' }],
  ['POST', '/api/dissection/disable'],
] as const

const read = async () => {
  const paths = ['agents', 'tokens', 'recordings', 'saved-filters', 'targets', 'dissection']
  return Promise.all(paths.map(async (path) => (await send('GET', `/api/${path}`)).json))
}
/** Without what counts by itself. */
const steady = (value: unknown) =>
  JSON.stringify(value, (key, part) => (/last_used|idle_since|pauses_at/.test(key) ? undefined : part))

test('while the bucket is away, changes are refused with the reason, and what was there is in force', async () => {
  await send('POST', '/api/agents', { name: 'one', kfl: 'http', actions: [action] })
  await send('POST', '/api/tokens', { name: 'one', role: 'svc-viewer' })
  await send('POST', '/api/recordings', { name: 'one' })
  await send('PUT', '/api/saved-filters/one', { kfl: 'http' })
  const before = steady(await read())
  bucket.server.fault = () => ({ kind: 'cut' })
  for (const [method, path, body] of changes) {
    const { status, json, text } = await send(method, path, body)
    expect([path, status, json?.code], text).toEqual([path, 503, 'object_storage'])
    expect(json.detail).toContain('Check tap.snapshots.s3.endpoint')
  }
  expect(steady(await read())).toBe(before)
  bucket.server.fault = () => undefined
  for (const [method, path, body] of changes) {
    const { status, text } = await send(method, path, body)
    expect([path, status < 300], text).toEqual([path, true])
  }
  const after = steady(await read())
  expect(after).not.toBe(before)
  await hub.stop()
  await state.close()
  ;({ state } = await openBucketState(bucket.server, { folder: 'two' }))
  // Tokens of the data folder are not shared: the one of this test is given again.
  hub = await startHub({ state, set, hasTakenOver: true })
  ;({ headers } = giveToken(hub.folder, 'svc-admin'))
  const [agents, tokens, recordings, filters, targets, indexing] = await read()
  expect(agents.agents).toMatchObject([{ name: 'two' }])
  expect(tokens.tokens.map(({ name }: { name: string }) => name).sort()).toEqual([
    'a svc-admin',
    'one',
    'two',
  ])
  expect(
    recordings.recordings.map(({ name, status }: { name: string; status: string }) => [name, status]),
  ).toEqual(
    expect.arrayContaining([
      ['one', 'stopped'],
      ['two', 'running'],
    ]),
  )
  expect(filters.filters).toMatchObject([{ name: 'two' }])
  expect(targets).toMatchObject({ regex: '^two', source: 'caller' })
  expect(indexing).toMatchObject({ enabled: false, reason: 'request' })
})
