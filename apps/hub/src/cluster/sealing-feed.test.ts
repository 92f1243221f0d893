import { afterEach, expect, it } from 'vitest'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { keysReport } from '../testing/keys-report.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const given = (worker: FakeWorker) =>
  worker.asked.flatMap((one) => (one.request === 'tls_keys' ? [one.input.keys] : []))

it('gives its sealing keys to a worker that collects secrets, although key capture was off when the hub started', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', {}, { tls_keys: keysReport })
  const [keys] = await until(
    () => given(worker),
    ({ length }) => length > 0,
  )
  expect(keys).toHaveLength(1)

  const without = await hub.worker('n2')
  const late = await hub.worker('n3', {}, { tls_keys: keysReport })
  await until(
    () => given(late),
    ({ length }) => length > 0,
  )
  expect(given(late)).toEqual([keys])
  expect(given(without)).toEqual([])
})
