import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ObjectStore, PutCondition } from '../object-store.ts'
import { type ChosenServer, externalServer, ownServer } from '../testing/chosen-server.ts'
import { openS3 } from './open-s3.ts'

/** What Tapdeck needs of a storage: our server, and with `TAPDECK_S3_ENDPOINT` one of any maker. */
const servers: [string, () => Promise<ChosenServer>][] = [
  ['our server', ownServer],
  ['our server without conditions', () => ownServer({ refusesConditions: true })],
]
const external = externalServer()
if (external) servers.push([external.settings.endpoint, async () => external])

const PART = 5 * 1024 * 1024
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64')

describe.each(servers)('%s', (_, start) => {
  let server: ChosenServer
  let objects: ObjectStore
  const open = (change = {}) => openS3({ ...server.settings, prefix, ...change })
  let prefix = ''

  beforeEach(async () => {
    server = await start()
    prefix = `any-server/${randomUUID()}/`
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
    objects = open()
  })
  afterEach(async () => {
    for (const upload of await objects.uploads('')) await objects.abortUpload(upload)
    await objects.remove(await keys())
    objects.close()
    await server.close()
    vi.unstubAllEnvs()
  })

  async function keys(below = ''): Promise<string[]> {
    const found: string[] = []
    for await (const { key } of objects.list(below)) found.push(key)
    return found
  }
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error) => error as { kind: string },
    )

  test('objects are written, read whole and by range, listed and removed', async () => {
    const bytes = randomBytes(1000)
    await objects.put('x/node~1.pcapng', bytes)
    await objects.put('x/empty', Buffer.alloc(0))
    await objects.put('y/other', Buffer.from('other'))
    expect(bytes.equals((await objects.get('x/node~1.pcapng', 1000))!)).toBe(true)
    expect(bytes.subarray(7, 300).equals(await objects.read('x/node~1.pcapng', 7, 300))).toBe(true)
    expect(bytes.subarray(999).equals(await objects.read('x/node~1.pcapng', 999, 1000))).toBe(true)
    expect(await failure(objects.read('x/node~1.pcapng', 900, 1001))).toMatchObject({ kind: 'damaged' })
    expect(await failure(objects.get('x/node~1.pcapng', 999))).toMatchObject({ kind: 'too_large' })
    expect(await failure(objects.read('x/none', 0, 10))).toMatchObject({ kind: 'missing' })
    expect((await objects.get('x/empty', 10))?.length).toBe(0)
    expect(await objects.get('x/none', 10)).toBeUndefined()
    expect(await objects.sizeOf('x/node~1.pcapng')).toBe(1000)
    expect(await objects.sizeOf('x/none')).toBeUndefined()
    expect(await keys('x/')).toEqual(['x/empty', 'x/node~1.pcapng'])
    await objects.remove(['x/empty', 'x/node~1.pcapng', 'x/none'])
    expect(await keys()).toEqual(['y/other'])
  })

  test('a listing has pages', { timeout: 120_000 }, async () => {
    const all = Array.from(
      { length: server.pageSize + 3 },
      (_, number) => `many/${String(number).padStart(4, '0')}`,
    )
    for (let at = 0; at < all.length; at += 16)
      await Promise.all(all.slice(at, at + 16).map((key) => objects.put(key, Buffer.from(key))))
    expect(await keys('many/')).toEqual(all)
  })

  /** Storages without conditions refuse them: OpenStack Swift. Two hubs cannot share their state there. */
  async function hasConditions(): Promise<boolean> {
    const refused = await failure(objects.put('probe', Buffer.alloc(0), { onlyNew: true }))
    await objects.remove(['probe'])
    expect([undefined, 'unsupported']).toContain(refused?.kind)
    return refused === undefined
  }

  test.each(['put', 'putAfterLook'] as const)(
    'of writers of one key only the first succeeds, and of those that replace a version: %s',
    async (method) => {
      if (method === 'put' && !(await hasConditions())) return
      const put = (text: string, condition: PutCondition) =>
        objects[method]('one', Buffer.from(text), condition)
      const first = await put('1', { onlyNew: true })
      expect(await failure(put('2', { onlyNew: true }))).toMatchObject({ kind: 'exists' })
      const second = await put('3', { replaces: first })
      expect(await failure(put('4', { replaces: first }))).toMatchObject({ kind: 'exists' })
      const { bytes, version } = (await objects.getVersion('one', 10))!
      expect([String(bytes), version]).toEqual(['3', second])
      await objects.remove(['one'])
      const gone = await failure(put('5', { replaces: second }))
      expect(['exists', 'missing']).toContain(gone?.kind)
      expect(await objects.get('one', 10)).toBeUndefined()
    },
  )

  test('of writers at the same time one succeeds', async () => {
    if (!(await hasConditions())) return
    const write = (text: string) => failure(objects.put('one', Buffer.from(text), { onlyNew: true }))
    const results = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(write))
    expect(results.filter((one) => one === undefined)).toHaveLength(1)
  })

  test('an upload in parts is found, continued, completed, and appears whole', async () => {
    const upload = await objects.beginUpload('big')
    const [one, two] = [randomBytes(PART), randomBytes(1000)]
    await objects.uploadPart(upload, 1, randomBytes(PART))
    const again = await objects.uploadPart(upload, 1, one)
    expect(await objects.uploads('')).toMatchObject([{ key: 'big', id: upload.id }])
    expect(await objects.uploads('other/')).toEqual([])
    expect(await objects.uploadedParts(upload)).toEqual([again])
    expect(await keys()).toEqual([])
    const last = await objects.uploadPart(upload, 2, two)
    expect(await failure(objects.completeUpload(upload, [{ ...again, etag: last.etag }, last]))).toBeDefined()
    await objects.completeUpload(upload, [again, last])
    expect(await objects.sizeOf('big')).toBe(PART + 1000)
    expect(Buffer.concat([one, two]).equals((await objects.get('big', 2 * PART))!)).toBe(true)
    const range = await objects.read('big', PART - 10, PART + 10)
    expect(Buffer.concat([one.subarray(-10), two.subarray(0, 10)]).equals(range)).toBe(true)
    expect(await objects.uploads('')).toEqual([])
    // Some storages know an upload after its end.
    if (await objects.uploadedParts(upload)) await objects.completeUpload(upload, [again, last])
    await objects.abortUpload(upload)
    expect(Buffer.concat([one, two]).equals((await objects.get('big', 2 * PART))!)).toBe(true)
  })

  test('an upload that is given up leaves nothing', async () => {
    const upload = await objects.beginUpload('big')
    await objects.uploadPart(upload, 1, randomBytes(PART))
    await objects.abortUpload(upload)
    await objects.abortUpload(upload)
    expect([await objects.uploads(''), await keys()]).toEqual([[], []])
    expect(await objects.uploadedParts(upload)).toBeUndefined()
  })

  test('a grant takes the bytes that it is for, of one part, without credentials', async () => {
    const upload = await objects.beginUpload('big')
    const [bytes, others] = [Buffer.from('these bytes'), Buffer.from('other bytes')]
    const url = await objects.grantPart(upload, { number: 1, size: bytes.length, md5: md5(bytes) }, 60)
    const send = async (to: string, body: Buffer, sum: string) =>
      (await fetch(to, { method: 'PUT', body: new Uint8Array(body), headers: { 'content-md5': sum } })).status
    expect(await send(url, others, md5(others))).toBe(403)
    expect(await send(url, others, md5(bytes))).toBe(400)
    expect(await send(url, Buffer.from('these'), md5(bytes))).toBe(403)
    expect(await send(url.replace('partNumber=1', 'partNumber=2'), bytes, md5(bytes))).toBe(403)
    expect(await objects.uploadedParts(upload)).toEqual([])
    expect(await send(url, bytes, md5(bytes))).toBe(200)
    const parts = (await objects.uploadedParts(upload))!
    expect(parts).toMatchObject([{ number: 1, size: bytes.length }])
    await objects.completeUpload(upload, parts)
    expect(String(await objects.get('big', 100))).toBe('these bytes')
  })

  test('a bucket that does not exist, and a wrong secret, are reported as such', async () => {
    const none = open({ bucket: 'there-is-none' })
    expect(await failure(none.put('one', Buffer.from('1')))).toMatchObject({ kind: 'no_bucket' })
    none.close()
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
    const denied = open()
    expect(await failure(denied.put('one', Buffer.from('1')))).toMatchObject({ kind: 'denied' })
    denied.close()
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  })
})
