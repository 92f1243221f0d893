import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveConfig } from '@tapdeck/config'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBucket } from '../../snapshots/open-bucket.ts'
import { bucketForTests } from '../../testing/bucket-for-tests.ts'
import { captureFile, httpPackets } from '../../testing/http-capture.ts'
import { jobsOf } from '../../testing/jobs-of.ts'
import { startHub, type TestHub } from '../../testing/start-hub.ts'
import { threadForTests } from '../../testing/thread-for-tests.ts'
import type { StartRequest } from '../dissection-record.ts'
import { runDissectJob } from './run-dissect-job.ts'

const thread = threadForTests()
const bucket = bucketForTests()
let hub: TestHub
let elsewhere: string

beforeEach(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'tapdeck-elsewhere-'))
  hub = await startHub({ thread: thread(), set: bucket.settings })
})
afterEach(async () => {
  await hub.stop()
  await rm(elsewhere, { recursive: true })
})

const { importFile, dissect, calls } = jobsOf(() => hub)

/** A snapshot of 50 calls that is in the bucket. */
async function stored(name: string): Promise<void> {
  await importFile(name, captureFile(httpPackets({ requests: 50 })))
  const location = async () => (await hub.get(`/mcp/snapshots/${name}`)).json.location
  await expect.poll(location, { timeout: 60_000 }).toBe('s3')
}

async function job(
  request: StartRequest,
  set: readonly string[] = [],
  signal = new AbortController().signal,
) {
  const sources = { files: [], set: [...bucket.settings, ...set], setString: [], env: {}, flags: {} }
  const { config } = resolveConfig(sources)
  const objects = (await openBucket(config))!
  try {
    return await runDissectJob({
      ...{ config, objects, folder: elsewhere, request, requested: false, thread: thread(), signal },
      log: hub.log,
      now: Date.now,
      beatMs: 20,
    })
  } finally {
    objects.close()
  }
}

const problems: string[] = []
async function compare(): Promise<string> {
  problems.length = 0
  await hub.services.dissections.refresh((text) => problems.push(text))
  return problems.join('; ')
}

test('a job elsewhere dissects a snapshot of the bucket, and the hub lists the result and answers from it', async () => {
  await stored('s1')
  const done = await job({ snapshot_name: 's1', dissection_name: 'all' })
  expect(done).toMatchObject({ status: 'completed', call_count: 50, progress: 100, attempts: 1 })
  expect(await readdir(elsewhere)).toEqual([])
  expect(await compare()).toBe('')
  const { json } = await hub.get('/mcp/dissections/s1/all')
  expect(json).toMatchObject({ status: 'completed', call_count: 50, snapshot_name: 's1' })
  expect((await calls('s1/all', 'http')).json.total).toBe(50)
  expect((await calls('s1/all', 'response.status == 599')).json.total).toBe(0)
  // Again: there is nothing to do.
  expect(await job({ snapshot_name: 's1', dissection_name: 'all' })).toMatchObject({ attempts: 1 })
  // The name of the snapshot may change.
  await hub.send('PATCH', '/mcp/snapshots/s1', { new_name: 's2' })
  await compare()
  expect((await calls('s2/all', 'http')).json.total).toBe(50)
  expect((await hub.send('DELETE', '/mcp/dissections/s2/all', undefined)).status).toBe(200)
  expect(bucket.server.bucket.keys().filter((key) => key.includes('dissections'))).toEqual([])
  await compare()
  expect((await hub.get('/mcp/dissections/s2/all')).status).toBe(404)
})

test('the hub computes the same calls itself', async () => {
  await stored('s1')
  const kfl = 'path.endsWith("7")'
  const there = await job({ snapshot_name: 's1', dissection_name: 'there', kfl })
  const here = await dissect('s1', 'here', { kfl })
  expect(there.call_count).toBeGreaterThan(0)
  expect(here).toMatchObject({ call_count: there.call_count, packet_count: there.packet_count })
  await compare()
  const ids = async (db: string) =>
    (await calls(db, '', '&limit=100')).json.calls.map(({ ts, path }: { ts: number; path: string }) => [
      ts,
      path,
    ])
  expect(await ids('s1/there')).toEqual(await ids('s1/here'))
})

test('with a deleted snapshot, its dissections go', async () => {
  await stored('s1')
  await job({ snapshot_name: 's1', dissection_name: 'all' })
  await compare()
  expect((await hub.send('DELETE', '/mcp/snapshots/s1?force=true', undefined)).status).toBe(200)
  expect(bucket.server.bucket.keys()).toEqual([])
})

test('a result that was made with other redaction rules is not used', async () => {
  await stored('s1')
  await job({ snapshot_name: 's1', dissection_name: 'all' }, ['tap.redaction.headers={x-other}'])
  expect(await compare()).toMatch(/"s1\/all": it was made with other rules of tap.redaction/)
  expect((await hub.get('/mcp/dissections/s1/all')).status).toBe(404)
})

test('a damaged result is reported and not used', async () => {
  await stored('s1')
  await job({ snapshot_name: 's1', dissection_name: 'all' })
  const key = bucket.server.bucket
    .keys()
    .find((one) => one.includes('/dissections/') && one.includes('data/'))!
  const object = bucket.server.bucket.objects.get(key)!
  bucket.server.bucket.objects.set(key, { ...object, bytes: Buffer.from(object.bytes).fill(7, 0, 1) })
  expect(await compare()).toMatch(/does not match its checksum/)
  expect((await hub.get('/mcp/dissections/s1/all')).status).toBe(404)
})

test('objects that others put into the bucket hide no result, and a state with more nodes than the snapshot is not used', async () => {
  await stored('s1')
  await job({ snapshot_name: 's1', dissection_name: 'all' })
  const { objects } = bucket.server.bucket
  const key = bucket.server.bucket
    .keys()
    .find((one) => one.includes('dissections/') && one.endsWith('/all.json'))!
  const state = objects.get(key)!
  const put = (name: string, bytes: Buffer) => objects.set(key.replace('all.json', name), { ...state, bytes })
  put('large.json', Buffer.alloc(5 * 1024 * 1024, 32))
  const read = JSON.parse(Buffer.from(state.bytes).toString())
  const nodes = Array.from({ length: 1000 }, (_, at) => `n${at}`)
  put('many.json', Buffer.from(JSON.stringify({ ...read, record: { ...read.record, nodes } })))
  expect(await compare()).toBe('dissection "s1/many": it names more nodes than its snapshot has')
  expect((await calls('s1/all', 'http')).json.total).toBe(50)
})

test('errors say what is wrong, and nothing is left', async () => {
  await stored('s1')
  const request = { snapshot_name: 's1', dissection_name: 'all' }
  const before = bucket.server.bucket.keys()
  await expect(job({ ...request, snapshot_name: 's9' })).rejects.toThrow(
    /no snapshot named "s9".*It has: s1\./,
  )
  await expect(job({ ...request, kfl: 'respons.status == 1' })).rejects.toThrow(/respons/)
  bucket.server.fault = () => ({ kind: 'answer', status: 403, code: 'AccessDenied' })
  await expect(job(request)).rejects.toThrow(/403 AccessDenied.*Check the credentials/)
  bucket.server.fault = () => ({ kind: 'answer', status: 301, code: 'PermanentRedirect' })
  await expect(job(request)).rejects.toThrow(/another region/)
  bucket.server.fault = () => undefined
  await expect(job(request, ['tap.snapshots.local.storageSize=1Ki'])).rejects.toThrow()
  expect(bucket.server.bucket.keys().filter((key) => key.startsWith('data/'))).toEqual(
    before.filter((key) => key.startsWith('data/')),
  )
  // A full bucket: the state says so, and the next attempt starts anew.
  bucket.server.fault = ({ method, key }) =>
    method === 'PUT' && key.includes('/data/')
      ? { kind: 'answer', status: 507, code: 'QuotaExceeded' }
      : undefined
  await expect(job(request)).rejects.toThrow(/Free space there/)
  bucket.server.fault = () => undefined
  const capture = bucket.server.bucket.keys().find((key) => key.endsWith('.pcapng'))!
  const object = bucket.server.bucket.objects.get(capture)!
  bucket.server.bucket.objects.delete(capture)
  await expect(job(request)).rejects.toThrow(/"s1" is incomplete .* 1 of 1 captures/)
  bucket.server.bucket.objects.set(capture, object)
  expect(await job(request)).toMatchObject({ status: 'completed', call_count: 50 })
  expect(await readdir(elsewhere)).toEqual([])
})

test('a job that is stopped or cancelled leaves nothing but its state', async () => {
  await stored('s1')
  const request = { snapshot_name: 's1', dissection_name: 'all' }
  const data = () =>
    bucket.server.bucket.keys().filter((key) => key.includes('/dissections/') && key.includes('data/'))
  const stop = new AbortController()
  bucket.server.fault = ({ method, key }) => {
    if (method === 'PUT' && key.includes('/data/')) stop.abort()
    return undefined
  }
  await expect(job(request, [], stop.signal)).rejects.toThrow(/stopped/)
  expect(data()).toEqual([])
  // A hub takes the state away while the job uploads.
  bucket.server.fault = ({ method, key }) => {
    if (method === 'PUT' && key.includes('/data/'))
      for (const one of bucket.server.bucket.keys())
        if (one.includes('/dissections/') && one.endsWith('/all.json'))
          bucket.server.bucket.objects.delete(one)
    return undefined
  }
  await expect(job(request)).rejects.toThrow(/cancelled/)
  expect(data()).toEqual([])
})
