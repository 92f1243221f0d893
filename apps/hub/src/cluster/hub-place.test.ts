import { afterEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { HubPlace } from './hub-place.ts'
import type { Worker } from './worker.ts'
import { Workers } from './workers.ts'

let hub: TestHub | undefined
afterEach(() => hub?.stop())

const told = ({ asked }: FakeWorker) =>
  asked.flatMap((one) => (one.request === 'hub_place' ? [one.input] : []))

test('a worker is told where the hub listens as soon as it comes', async () => {
  hub = await startHub({})
  const worker = await hub.worker('n1')
  const [place] = await until(
    () => told(worker),
    (all) => all.length > 0,
  )
  expect(place!.port).toBe(hub.port)
  expect(place!.addresses).not.toContain('127.0.0.1')
})

async function toldBy(host: string, addresses: readonly string[]): Promise<readonly string[]> {
  const workers = new Workers()
  const place = new HubPlace(workers, createLog('silent'), () => addresses)
  place.bind(host, 8898)
  return new Promise((resolve) => {
    const ask = async (_: string, input: { readonly addresses: readonly string[] }) =>
      resolve(input.addresses)
    workers.join({ node: 'n1', ask } as unknown as Worker)
  })
}

test('all addresses that others may reach it by are told, and neither loopback nor those of one link', async () => {
  const all = ['127.0.0.1', '10.0.3.9', '::1', 'fd00::9', 'fe80::1']
  for (const host of ['0.0.0.0', '::', '', 'localhost'])
    expect(await toldBy(host, all)).toEqual(['10.0.3.9', 'fd00::9'])
})

test('of a hub that listens on one address, that one is told', async () => {
  expect(await toldBy('10.0.3.9', ['10.0.3.9', '10.0.4.4'])).toEqual(['10.0.3.9'])
  expect(await toldBy('127.0.0.1', ['10.0.3.9'])).toEqual([])
})

test('of very many addresses only some are told', async () => {
  const many = Array.from({ length: 300 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)
  expect(await toldBy('0.0.0.0', many)).toHaveLength(64)
})
