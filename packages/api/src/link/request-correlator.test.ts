import { expect, test } from 'vitest'
import { Problem } from '../problem.ts'
import { RequestCorrelator } from './request-correlator.ts'

const gone = new Problem(503, 'worker_lost', 'gone')

test('brings each answer to its own request, in any order', async () => {
  const requests = new RequestCorrelator()
  const ids: number[] = []
  const [first, second] = [requests.ask((id) => ids.push(id)), requests.ask((id) => ids.push(id))]
  requests.answer(ids[1]!, 'second')
  requests.answer(ids[0]!, 'first')
  expect(await Promise.all([first, second])).toEqual(['first', 'second'])
  expect(requests.size).toBe(0)
})

test('a failure rejects only its request', async () => {
  const requests = new RequestCorrelator()
  const ids: number[] = []
  const failed = requests.ask((id) => ids.push(id))
  const answered = requests.ask((id) => ids.push(id))
  requests.fail(ids[0]!, gone)
  await expect(failed).rejects.toBe(gone)
  expect([requests.has(ids[0]!), requests.has(ids[1]!)]).toEqual([false, true])
  requests.answer(ids[1]!, 1)
  expect(await answered).toBe(1)
})

test('ignores answers that come twice or to nothing', async () => {
  const requests = new RequestCorrelator()
  let sent = 0
  const answer = requests.ask((id) => {
    sent = id
  })
  requests.answer(sent + 1, 'without a request')
  requests.answer(sent, 'once')
  requests.fail(sent, gone)
  expect(await answer).toBe('once')
})

test('after the end, pending and later requests fail', async () => {
  const requests = new RequestCorrelator()
  const pending = requests.ask(() => {})
  requests.end(gone)
  await expect(pending).rejects.toBe(gone)
  let isSent = false
  const later = requests.ask(() => {
    isSent = true
  })
  await expect(later).rejects.toBe(gone)
  expect(isSent).toBe(false)
})

test('a request that cannot be sent is not pending', async () => {
  const requests = new RequestCorrelator()
  const unsent = requests.ask(() => {
    throw new Error('not cloneable')
  })
  await expect(unsent).rejects.toThrow('not cloneable')
  expect(requests.size).toBe(0)
})
