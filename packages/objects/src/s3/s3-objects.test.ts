import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ObjectStore } from '../object-store.ts'
import { S3Server } from '../testing/s3-server.ts'
import { openS3 } from './open-s3.ts'
import type { S3Settings } from './s3-settings.ts'

let server: S3Server
let objects: ObjectStore

const settings = (): S3Settings => ({
  ...{ bucket: 'tests', prefix: 'a/b/', endpoint: server.endpoint, region: 'eu-west-1', pathStyle: true },
  ...{ encryption: '', kmsKey: '' },
})

beforeEach(async () => {
  server = await S3Server.start()
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  objects = openS3(settings())
})

afterEach(async () => {
  objects.close()
  await server.close()
  vi.unstubAllEnvs()
})

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error as { kind: string; message: string },
  )

test('objects are written below the prefix, read whole and by range, listed over pages and removed', async () => {
  server.bucket.pageSize = 2
  for (const name of ['one', 'two', 'three', 'four', 'five'])
    await objects.put(`x/${name}`, Buffer.from(`this is ${name}`))
  expect(server.bucket.keys()).toContain('a/b/x/one')
  expect(String(await objects.get('x/two', 100))).toBe('this is two')
  expect(String(await objects.read('x/three', 8, 13))).toBe('three')
  expect(await objects.get('x/none', 100)).toBeUndefined()
  const listed: string[] = []
  for await (const { key } of objects.list('x/')) listed.push(key)
  expect(listed).toEqual(['x/five', 'x/four', 'x/one', 'x/three', 'x/two'])
  await objects.remove([...listed, 'x/none'])
  expect(server.bucket.keys()).toEqual([])
})

test('only the first of two writers of a new key succeeds', async () => {
  const results = await Promise.all(
    ['first', 'second'].map((text) => failure(objects.put('one', Buffer.from(text), { onlyNew: true }))),
  )
  expect(results.filter((one) => one === undefined)).toHaveLength(1)
  expect(results.find((one) => one !== undefined)).toMatchObject({ kind: 'exists' })
})

test('a storage that compares tags without quotes replaces an object only with its version too', async () => {
  server.bucket.wantsBareTags = true
  const first = await objects.put('one', Buffer.from('1'))
  const second = await objects.put('one', Buffer.from('2'), { replaces: first })
  expect(await failure(objects.put('one', Buffer.from('3'), { replaces: first }))).toMatchObject({
    kind: 'exists',
  })
  server.requests.length = 0
  await objects.put('one', Buffer.from('4'), { replaces: second })
  expect(server.requests).toHaveLength(1)
  expect(String(await objects.get('one', 10))).toBe('4')
})

test('an upload in parts is found again, continued and completed', async () => {
  const upload = await objects.beginUpload('big')
  const first = Buffer.alloc(5 * 1024 * 1024, 1)
  await objects.uploadPart(upload, 1, first)
  expect(await objects.uploads('')).toMatchObject([{ key: 'big', id: upload.id }])
  const parts = (await objects.uploadedParts(upload))!
  expect(parts).toMatchObject([{ number: 1, size: first.length }])
  const second = await objects.uploadPart(upload, 2, Buffer.from('end'))
  await objects.completeUpload(upload, [...parts, second])
  expect(String(await objects.read('big', first.length, first.length + 3))).toBe('end')
  expect(await objects.uploads('')).toEqual([])
  expect(await objects.uploadedParts(upload)).toBeUndefined()
  await objects.abortUpload(upload)
})

test('a grant takes exactly one part of one upload, for a while, without credentials', async () => {
  const upload = await objects.beginUpload('big')
  const [bytes, others] = [Buffer.from('these bytes'), Buffer.from('other bytes')]
  const md5 = (some: Uint8Array) => createHash('md5').update(some).digest('base64')
  const part = { number: 1, size: bytes.length, md5: md5(bytes) }
  const url = await objects.grantPart(upload, part, 60)
  const send = async (to: string, body: Buffer, sum = md5(body)) =>
    (await fetch(to, { method: 'PUT', body: new Uint8Array(body), headers: { 'content-md5': sum } })).status
  expect(await send(url, others)).toBe(403)
  expect(await send(url, others, part.md5)).toBe(400)
  expect(await send(url, Buffer.from('these'))).toBe(403)
  expect(await send(url.replace('partNumber=1', 'partNumber=2'), bytes)).toBe(403)
  expect(await send(url.replace('/big', '/other'), bytes)).toBe(403)
  server.bucket.now = () => Date.now() + 61_000
  expect(await send(url, bytes)).toBe(403)
  server.bucket.now = Date.now
  expect(await objects.uploadedParts(upload)).toEqual([])
  expect(await send(url, bytes)).toBe(200)
  const parts = (await objects.uploadedParts(upload))!
  expect(parts).toMatchObject([{ number: 1, size: bytes.length }])
  await objects.completeUpload(upload, parts)
  expect(await objects.sizeOf('big')).toBe(bytes.length)
  expect(await objects.sizeOf('other')).toBeUndefined()
  expect(await send(url, bytes)).toBe(404)
})

test('server-side encryption is asked for at each object', async () => {
  const sealed = openS3({ ...settings(), encryption: 'aws:kms', kmsKey: 'key-1' })
  await sealed.put('one', Buffer.from('1'))
  expect(server.bucket.objects.get('a/b/one')?.headers).toMatchObject({
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
  })
  sealed.close()
})

test.each([
  [{ kind: 'answer', status: 403, code: 'AccessDenied' }, 'denied', /credentials/],
  [{ kind: 'answer', status: 404, code: 'NoSuchBucket' }, 'no_bucket', /Create the bucket/],
  [
    { kind: 'answer', status: 301, code: 'PermanentRedirect' },
    'wrong_region',
    /another region than "eu-west-1"/,
  ],
  [{ kind: 'answer', status: 507, code: 'QuotaExceeded' }, 'full', /quota/],
  [{ kind: 'cut' }, 'unreachable', /endpoint/],
] as const)('a fault (%o) is reported as %s with advice', async (fault, kind, advice) => {
  server.fault = () => fault
  const problem = await failure(objects.put('one', Buffer.from('1')))
  expect(problem).toMatchObject({ kind, message: expect.stringMatching(advice) })
})

test('a wrong secret is denied, and an object larger than allowed is not read', async () => {
  await objects.put('one', Buffer.alloc(100))
  expect(await failure(objects.get('one', 99))).toMatchObject({ kind: 'too_large' })
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
  const other = openS3(settings())
  expect(await failure(other.get('one', 100))).toMatchObject({ kind: 'denied' })
  other.close()
})
