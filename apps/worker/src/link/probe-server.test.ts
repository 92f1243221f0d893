import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ProbeServer } from './probe-server.ts'

let probes: ProbeServer
let port: number
let state: { capture: () => Promise<unknown>; verifies: boolean; connected: boolean }

beforeEach(async () => {
  state = { capture: async () => {}, verifies: true, connected: true }
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  port = (free.address() as AddressInfo).port
  free.close()
  await once(free, 'close')
  probes = new ProbeServer({
    capture: () => state.capture(),
    canVerifyHub: () => state.verifies,
    isConnected: () => state.connected,
  })
  await probes.listen(port)
})
afterEach(() => probes.close())

const statuses = async () => {
  const all = ['/healthz', '/startz', '/readyz'].map((path) => fetch(`http://127.0.0.1:${port}${path}`))
  return (await Promise.all(all)).map(({ status }) => status)
}

test('a worker that records and reached the hub is ready, and stays so while the hub is away', async () => {
  expect(await statuses()).toEqual([200, 200, 200])
  state.connected = false
  expect(await statuses()).toEqual([200, 200, 200])
})

test('before the hub was reached, the worker is healthy and not ready', async () => {
  state.connected = false
  expect(await statuses()).toEqual([200, 200, 503])
  state.verifies = false
  expect(await statuses()).toEqual([200, 503, 503])
})

test('a capture thread that hangs or has ended is noticed by every probe', async () => {
  state.capture = () => new Promise(() => {})
  expect(await statuses()).toEqual([503, 503, 503])
  state.capture = () => Promise.reject(new Error('ended'))
  expect(await statuses()).toEqual([503, 503, 503])
})

test('a port that is in use is an error with the name of the key', async () => {
  const second = new ProbeServer({
    capture: async () => {},
    canVerifyHub: () => true,
    isConnected: () => true,
  })
  await expect(second.listen(port)).rejects.toThrow(/tap\.probePort/)
})
