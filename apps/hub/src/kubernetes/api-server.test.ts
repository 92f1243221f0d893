import { getEventListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ListWatchServer } from '../testing/list-watch-server.ts'
import { ApiServer } from './api-server.ts'
import { readLines } from './read-lines.ts'

const WATCH = '/api/v1/services?watch=true&resourceVersion=100'

let folder: string
let server: ListWatchServer

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-api-server-'))
  server = new ListWatchServer()
  await server.start()
})
afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

test('requests that are refused, end, break or cannot be sent leave no listener at their signal', async () => {
  const kubeconfig = await server.writeKubeconfig(folder)
  const api = ApiServer.load({ kubeconfig, context: '' })
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const follow = async () => {
    const answer = await api.get(WATCH, 'application/json', signal)
    expect(listeners()).toBeGreaterThan(0)
    server.endWatches()
    for await (const _line of readLines(answer));
  }
  for (let round = 0; round < 12; round++) {
    await follow()
    server.unwatchable.add('/api/v1/services')
    await expect(follow()).rejects.toThrow('403')
    server.unwatchable.clear()
    const answer = await api.get(WATCH, 'application/json', signal)
    server.cut()
    await expect(readLines(answer).next()).rejects.toThrow('aborted')
    await server.stop()
    await expect(follow()).rejects.toThrow('ECONNREFUSED')
    await server.start()
  }
  await expect.poll(listeners).toBe(0)
})
