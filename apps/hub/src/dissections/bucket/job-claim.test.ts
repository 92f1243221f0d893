import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openS3 } from '@tapdeck/objects/s3'
import { type BucketDissections, SnapshotStore } from '@tapdeck/recording'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bucketForTests } from '../../testing/bucket-for-tests.ts'
import { newRecord } from '../dissection-record.ts'
import { type ClaimRequest, JobClaim, recordOf } from './job-claim.ts'

const bucket = bucketForTests()
const id = '00000000-0000-4000-8000-000000000000'
let folder: string
let results: BucketDissections

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-claim-'))
  const { endpoint } = bucket.server
  const objects = openS3({
    ...{ bucket: 'tests', prefix: '', endpoint, region: '', pathStyle: true, encryption: '', kmsKey: '' },
  })
  results = (await SnapshotStore.open(folder, { maxBytes: 1e9, objects })).archive!.dissections
})
afterEach(() => rm(folder, { recursive: true }))

const take = (more: Partial<ClaimRequest> = {}, kfl = '') =>
  JobClaim.take({
    ...{ results, id, rules: 'r', requested: false, beatMs: 1, signal: new AbortController().signal },
    record: newRecord({ snapshot_name: 's', dissection_name: 'd', kfl }, 'file', 0),
    ...more,
  })

test('only one of several jobs that begin at once gets the dissection', async () => {
  // The others see the state of the first one, which does not change, only after more beats than this test lasts.
  const taken = await Promise.allSettled(
    [1, 2, 3].map(() => take({ beatMs: 600_000, signal: AbortSignal.timeout(1) })),
  )
  const winners = taken.filter(({ status }) => status === 'fulfilled')
  expect(winners.length).toBeLessThanOrEqual(1)
  expect([...(await results.list())]).toHaveLength(1)
})

test('a job at work is not disturbed', async () => {
  const first = await take()
  let done = false
  const second = take({ beatMs: 20 }).finally(() => {
    done = true
  })
  second.catch(() => {})
  while (!done) await first!.beat({ progress: 5 })
  await expect(second).rejects.toThrow(/another job is at work/)
})

test('a job that a hub asked for waits for the one at work, and has nothing to do if that one succeeds', async () => {
  const first = await take()
  let done = false
  const second = take({ requested: true, beatMs: 20 }).finally(() => {
    done = true
  })
  for (let beat = 0; beat < 20; beat++) await first!.beat({ progress: beat })
  expect(done).toBe(false)
  await first!.end({ status: 'completed' })
  expect(await second).toBeUndefined()
})

test('a job that a hub asked for goes on at once where the one at work was stopped', async () => {
  const first = await take()
  const second = take({ requested: true, beatMs: 20 })
  await first!.end({ status: 'pending', attempts: 0 })
  expect((await second)!.record).toMatchObject({ status: 'running', attempts: 1 })
})

test('a job that is gone is replaced, what it left is removed, and it cannot write any more', async () => {
  const first = await take()
  const left = `data/${id}/dissections/${first!.run}/0/calls.db`
  bucket.server.bucket.objects.set(left, { bytes: Buffer.from('half'), modified: 1, headers: {} })
  const second = await take()
  expect(second!.run).not.toBe(first!.run)
  expect(second!.record.attempts).toBe(2)
  expect(bucket.server.bucket.keys()).toEqual([`dissections/${id}/d.json`])
  await expect(first!.beat({})).rejects.toThrow(/another job has taken over/)
  await expect(first!.end({ status: 'completed' })).rejects.toThrow(/another job has taken over/)
  await second!.end({ status: 'completed' })
  expect(recordOf((await results.read(id, 'd'))!)).toMatchObject({ status: 'completed', attempts: 2 })
  expect(await take()).toBeUndefined()
  await expect(take({}, 'http')).rejects.toThrow(/with another filter/)
})

test('an answer that is lost on its way does not make a job believe that another one took over', async () => {
  const claim = await take()
  bucket.server.fault = ({ method }) => (method === 'PUT' ? { kind: 'cut_after' } : undefined)
  await expect(claim!.beat({ progress: 1 })).rejects.toThrow()
  bucket.server.fault = () => undefined
  await claim!.beat({ progress: 2 })
  expect(recordOf((await results.read(id, 'd'))!)).toMatchObject({ progress: 2 })
})

test('a dissection whose jobs crashed three times is not tried again', async () => {
  for (let attempt = 1; attempt <= 3; attempt++) expect((await take())!.record.attempts).toBe(attempt)
  await expect(take()).rejects.toThrow(/crashed 3 times/)
  expect(recordOf((await results.read(id, 'd'))!)).toMatchObject({ status: 'failed' })
  // A new request begins from the start.
  expect((await take())!.record.attempts).toBe(1)
})

test('a job that a hub asked for does nothing if the hub does not ask any more', async () => {
  await expect(take({ requested: true })).rejects.toThrow(/does not ask/)
  expect(bucket.server.bucket.keys()).toEqual([])
})
