import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { openBucketState } from '../testing/open-bucket-state.ts'
import { FolderState } from './folder-state.ts'
import { MAX_DOCUMENT_BYTES, type StateStore } from './state-store.ts'

const bucket = bucketForTests()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-state-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe.each([
  ['a folder', async (): Promise<StateStore> => new FolderState(folder)],
  ['a bucket', async () => (await openBucketState(bucket.server, { folder: 'one' })).state],
])('the state in %s', (_place, open) => {
  it('has what was written, after it was opened again, and lists it by prefix', async () => {
    const first = await open()
    expect([await first.read('agents'), await first.names('')]).toEqual([undefined, []])
    await first.write('agents', '{"agents":[]}')
    await first.write('recordings/night', 'ä €')
    await first.write('recordings/noon', '')
    await first.write('access/reviewed-workers', '{}')
    await first.close()
    const second = await open()
    expect(await second.read('agents')).toBe('{"agents":[]}')
    expect(await second.read('recordings/night')).toBe('ä €')
    expect(await second.names('recordings/')).toEqual(['recordings/night', 'recordings/noon'])
    expect(await second.names('recordings/ni')).toEqual(['recordings/night'])
    expect(await second.names('ag')).toEqual(['agents'])
    await second.remove('recordings/night')
    await second.remove('recordings/none')
    await second.close()
    const third = await open()
    expect(await third.names('recordings/')).toEqual(['recordings/noon'])
    expect(await third.read('recordings/night')).toBeUndefined()
    await third.close()
  })

  it('of many writes at once, keeps the last of each document', async () => {
    const first = await open()
    const writes = Array.from({ length: 40 }, (_, at) => first.write(`d${at % 4}`, String(at)))
    await Promise.all([...writes, first.remove('d0')])
    await first.close()
    const second = await open()
    const texts = await Promise.all(['d0', 'd1', 'd2', 'd3'].map((name) => second.read(name)))
    expect(texts).toEqual([undefined, '37', '38', '39'])
    await second.close()
  })

  it('takes the largest document, and refuses a larger one without losing the one before', async () => {
    const first = await open()
    // Two bytes each.
    const largest = 'ä'.repeat(MAX_DOCUMENT_BYTES / 2)
    await first.write('one', largest)
    await expect(first.write('one', `${largest}.`)).rejects.toMatchObject({ status: 409, code: 'too_large' })
    await first.close()
    const second = await open()
    expect((await second.read('one')) === largest).toBe(true)
    await second.close()
  })

  it.each(['../agents', '/etc/passwd', 'a/b/c', '', '.hidden', 'a/../b', 'A', 'a\0'])(
    'takes no name that could leave its place: %j',
    async (name) => {
      const store = await open()
      await expect(store.write(name, '')).rejects.toThrow(RangeError)
      await expect(store.read(name)).rejects.toThrow(RangeError)
      await store.close()
    },
  )
})

it('files of the state are for their owner alone, also in folders that it makes', async () => {
  const store = new FolderState(join(folder, 'deep'))
  await store.write('recordings/one', '{}')
  const modes = ['deep', 'deep/recordings/one', 'deep/recordings/one/recording.json'].map(async (path) =>
    ((await stat(join(folder, path))).mode & 0o777).toString(8),
  )
  expect(await Promise.all(modes)).toEqual(['700', '700', '600'])
})
