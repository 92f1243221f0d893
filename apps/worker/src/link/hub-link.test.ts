import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { TestHub } from '../testing/test-hub.ts'
import { HubLink } from './hub-link.ts'
import { linkAddress } from './link-address.ts'

let hub: TestHub
let link: HubLink
let lost: number
let credential: () => string

beforeEach(async () => {
  hub = new TestHub()
  lost = 0
  credential = () => 'secret'
  link = new HubLink({
    address: linkAddress({ url: await hub.url(), host: '', port: 0 }),
    credential: () => credential(),
    log: createLog('silent'),
    hello: async () => ({ kind: 'hello', node: 'n1', version: '1', report }),
    message: () => {},
    lost: () => {
      lost++
    },
  })
})
afterEach(() => {
  link.close()
  hub.close()
})

const report = {
  indexing: false,
  capture: { active: false, interfaces: [] },
  recording: { oldest_ts: null, newest_ts: null, size_bytes: 0, packet_count: 0, dropped_packets: 0 },
  packets_captured: 0,
  packets_dissected: 0,
  calls: 0,
  loss: {},
}

test('it authenticates and sends hello first', async () => {
  link.send({ kind: 'report', report })
  link.connect()
  await expect.poll(() => hub.hellos.length).toBe(1)
  expect(hub.credentials).toEqual(['Bearer secret'])
})

test('it reconnects after a lost connection, and reports the loss', async () => {
  link.connect()
  await expect.poll(() => link.ready).toBe(true)
  hub.hangUp()
  await expect.poll(() => hub.hellos.length, { timeout: 30_000 }).toBe(2)
  expect(lost).toBe(1)
  link.reconnect()
  await expect.poll(() => hub.hellos.length, { timeout: 30_000 }).toBe(3)
})

test('without a credential it waits until there is one', async () => {
  let there = false
  credential = () => {
    if (!there) throw new Error('ENOENT')
    return 'late'
  }
  link.connect()
  expect(link.ready).toBe(false)
  there = true
  await expect.poll(() => hub.credentials, { timeout: 30_000 }).toEqual(['Bearer late'])
})
