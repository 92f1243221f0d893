import { afterEach, expect, test } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { type BucketStateForTests, openBucketState } from '../testing/open-bucket-state.ts'
import { HEAD_KEY } from './state-head.ts'

const bucket = bucketForTests()
const opened: BucketStateForTests[] = []
afterEach(async () => {
  bucket.server.fault = () => undefined
  for (const { state } of opened.splice(0)) await state.close()
})

async function open(folder: string, options: Partial<Parameters<typeof openBucketState>[1]> = {}) {
  const one = await openBucketState(bucket.server, { folder, ...options })
  opened.push(one)
  return one
}

const beat = () => JSON.parse(bucket.server.bucket.objects.get(HEAD_KEY)!.bytes.toString()).beat

const outcomeOf = (write: Promise<void>) =>
  write.then(
    () => 'stored',
    () => 'refused',
  )

test.each(['stored', 'refused'])(
  'while a document takes long and then is %s, the head says that the hub is alive',
  async (outcome) => {
    const { state, lost } = await open('one', { goneAfterMs: 120 })
    await state.write('targets', 'before')
    let end = () => {}
    const until = new Promise<void>((resolve, reject) => {
      end = outcome === 'stored' ? resolve : () => reject(new Error('refused'))
    })
    let slow = 0
    bucket.server.fault = ({ method, key }) =>
      method === 'PUT' && key !== HEAD_KEY && slow++ === 0 ? { kind: 'slow', until } : undefined
    const writing = outcomeOf(state.write('agents', 'after'))
    await expect.poll(() => slow, { timeout: 60_000 }).toBe(1)
    const begun = beat()
    await expect.poll(beat, { timeout: 60_000 }).toBeGreaterThan(begun + 5)
    expect(await state.read('agents')).toBeUndefined()
    const next = state.write('targets', 'after')
    end()
    expect(await writing).toBe(outcome)
    await next
    await state.close()
    const { state: read } = await open('two')
    const agents = outcome === 'stored' ? 'after' : undefined
    expect([await read.read('agents'), await read.read('targets'), lost]).toEqual([agents, 'after', []])
  },
)

test('a head that hangs is given up in time, and the hub continues', { timeout: 40_000 }, async () => {
  const { state, lost } = await open('one', { goneAfterMs: 600, headWithinMs: 200 })
  let hanging = 1
  bucket.server.fault = ({ method, key }) =>
    method === 'PUT' && key === HEAD_KEY && hanging-- > 0 ? { kind: 'silent' } : undefined
  await expect.poll(() => outcomeOf(state.write('agents', '1')), { timeout: 30_000 }).toBe('stored')
  expect([hanging < 1, lost]).toEqual([true, []])
})
