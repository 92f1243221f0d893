import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '@tapdeck/api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderState } from '../state/folder-state.ts'
import type { Answers } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

const now = Date.now()
const packets = httpPackets({ requests: 5, start: now - 30_000 })
const capture = captureFile(packets)
const boundaries = () => ({
  ...{ oldest_ts: now - 60_000, newest_ts: now, size_bytes: capture.length },
  ...{ packet_count: packets.length, dropped_packets: 0 },
})

let folder: string
const hubs: TestHub[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-interrupted-'))
})
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A hub whose state is in a folder that other hubs can continue. */
async function start(place = 'a', fault = { isAway: false, refused: 0 }): Promise<TestHub> {
  const stored = new FolderState(join(folder, 'state'))
  const state = Object.assign(stored, {
    holder: place,
    async remove(name: string) {
      if (fault.isAway) {
        fault.refused++
        throw new Problem(503, 'object_storage', 'The bucket does not answer')
      }
      await FolderState.prototype.remove.call(stored, name)
    },
  })
  const hub = await startHub({ folder: join(folder, place), state })
  hubs.push(hub)
  return hub
}

/** A node that counts how often its packets were taken. */
function node(isHanging = false) {
  const seen = { windows: 0 }
  const answers: Answers = {
    boundaries,
    async window(_input, worker, id) {
      seen.windows++
      if (isHanging) return new Promise(() => undefined)
      await worker.piece(id, capture)
      const counts = { packet_count: packets.length, size_bytes: capture.length, dropped_packets: 0 }
      return { ...counts, start_ts: now - 30_000, end_ts: now - 29_000, partial: false }
    },
  }
  return { seen, answers }
}

/** The hub ends while a snapshot waits for node n2, and has n1. */
async function interrupted(hub: TestHub): Promise<void> {
  const hanging = node(true)
  await hub.worker('n1', node().answers)
  await hub.worker('n2', hanging.answers)
  const answer = await hub.send('POST', '/mcp/snapshots', { name: 's', duration: '1m' })
  expect([answer.status, answer.json.status]).toEqual([202, 'in_progress'])
  await until(
    async () => (await shown(hub)).nodes[0].status,
    (status) => status === 'completed' && hanging.seen.windows > 0,
  )
  await end(hub)
}

async function end(hub: TestHub): Promise<void> {
  hubs.splice(hubs.indexOf(hub), 1)
  await hub.close()
}

const shown = async (hub: TestHub) => (await hub.get('/mcp/snapshots/s')).json
const finished = (hub: TestHub) =>
  until(
    () => shown(hub),
    ({ status }) => status === 'completed' || status === 'failed',
  )
const requests = () => readdir(join(folder, 'state/snapshot-requests'))

describe('a snapshot that is being made when the hub ends', () => {
  it('is continued by the next start, which takes only what is missing, and says so', async () => {
    await interrupted(await start())
    const hub = await start()
    expect(await shown(hub)).toMatchObject({ status: 'in_progress', restarts: 1 })
    const [first, second] = [node(), node()]
    // The ring of n1 has deleted the packets that the snapshot has.
    const recorded = { until: now, forgotten: now, gaps: [] }
    await hub.worker('n1', first.answers, { coverage: { recorded, indexed: recorded } })
    await hub.worker('n2', second.answers)
    expect(await finished(hub)).toMatchObject({
      ...{ status: 'completed', restarts: 1, partial: false, packet_count: 2 * packets.length },
      nodes: [{ status: 'completed' }, { status: 'completed' }],
    })
    expect((await shown(hub)).gaps).toBeUndefined()
    expect([first.seen.windows, second.seen.windows]).toEqual([0, 1])
    await until(requests, (names) => names.length === 0)
  })

  it('is partial, with a gap, if the ring has deleted packets before they were taken again', async () => {
    await interrupted(await start())
    const hub = await start()
    const forgotten = now - 20_000
    const recorded = { until: now, forgotten, gaps: [] }
    const { answers } = node()
    await hub.worker(
      'n2',
      {
        ...answers,
        window: async (input, worker, id) => ({
          ...(await answers.window!(input, worker, id)),
          partial: true,
        }),
      },
      { coverage: { recorded, indexed: recorded } },
    )
    expect(await finished(hub)).toMatchObject({
      ...{ status: 'completed', partial: true },
      gaps: [{ node: 'n2', reason: 'overwritten', to_ts: forgotten }],
    })
  })

  it('is taken by a hub that takes over, which has none of its files', async () => {
    await interrupted(await start('a'))
    const hub = await start('b')
    const [first, second] = [node(), node()]
    await hub.worker('n1', first.answers)
    await hub.worker('n2', second.answers)
    expect(await finished(hub)).toMatchObject({
      ...{ status: 'completed', restarts: 1, packet_count: 2 * packets.length },
    })
    expect([first.seen.windows, second.seen.windows]).toEqual([1, 1])
    expect(await readdir(hub.services.snapshots.path('s'))).toContain('inventory.json')
  })

  it('fails after three restarts', async () => {
    await interrupted(await start())
    for (let restarts = 1; restarts <= 3; restarts++) {
      const hub = await start()
      expect(await shown(hub)).toMatchObject({ status: 'in_progress', restarts })
      await end(hub)
    }
    const hub = await start()
    expect(await shown(hub)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/interrupted: the hub stopped 4 times/),
    })
    expect(await requests()).toEqual([])
  })

  it('is not made again after it was deleted', async () => {
    await interrupted(await start())
    const hub = await start()
    expect((await hub.send('DELETE', '/mcp/snapshots/s')).json.code).toBe('busy')
    expect((await hub.send('DELETE', '/mcp/snapshots/s?force=true')).status).toBe(200)
    await end(hub)
    expect((await (await start()).get('/mcp/snapshots/s')).status).toBe(404)
    expect((await (await start('b')).get('/mcp/snapshots/s')).status).toBe(404)
  })

  it('is not made again if the state was away when it was deleted', async () => {
    await interrupted(await start())
    const fault = { isAway: true, refused: 0 }
    const hub = await start('a', fault)
    expect((await hub.send('DELETE', '/mcp/snapshots/s?force=true')).status).toBe(503)
    expect((await hub.send('DELETE', '/mcp/snapshots/s?force=true')).status).toBe(503)
    fault.isAway = false
    expect((await hub.send('DELETE', '/mcp/snapshots/s?force=true')).status).toBe(200)
    await end(hub)
    expect((await (await start()).get('/mcp/snapshots/s')).status).toBe(404)
  })

  it('is not made again if the state was away when it was completed, and it was renamed since', async () => {
    await interrupted(await start())
    const fault = { isAway: true, refused: 0 }
    const hub = await start('a', fault)
    await hub.worker('n2', node().answers)
    expect(await finished(hub)).toMatchObject({ status: 'completed' })
    await until(
      async () => fault.refused,
      (refused) => refused > 0,
    )
    fault.isAway = false
    expect(await requests()).toHaveLength(1)
    await hub.services.snapshots.rename('s', 't')
    expect(await requests()).toEqual([])
    await end(hub)
    const next = await start()
    expect((await next.get('/mcp/snapshots')).json.snapshots).toMatchObject([{ name: 't' }])
  })

  it('does not prevent the start of the hub if it cannot be continued', async () => {
    await interrupted(await start())
    // A hub that takes over cannot make its folder.
    await mkdir(join(folder, 'b/snapshots'), { recursive: true })
    await writeFile(join(folder, 'b/snapshots/s'), 'a file')
    expect((await (await start('b')).get('/mcp/snapshots')).json.snapshots).toEqual([])
    expect(await requests()).toHaveLength(1)
  })

  it('has failed if its request is not known any more', async () => {
    await interrupted(await start())
    await rm(join(folder, 'state'), { recursive: true })
    expect(await shown(await start())).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^interrupted: the hub stopped/),
    })
  })
})
