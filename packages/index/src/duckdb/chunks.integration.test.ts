import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { everything, inFolder, kfl } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { chunkNumbers } from './chunk.ts'
import { openIndex } from './open-index.ts'

const MIB = 1024 * 1024
const chunksIn = (folder: string) => chunkNumbers(readdirSync(folder)).length

describe('chunks', () => {
  it('follow one another while calls keep coming and questions are asked', () =>
    inFolder(openIndex, async (open, folder) => {
      const index = await open({ maxBytes: 64 * MIB })
      const flow = sampleFlow({ handshake: 70 })
      const asking: Promise<unknown>[] = []
      let ordinal = 0
      const append = () => {
        const body = randomBytes(4000).toString('hex')
        const call = sampleCall({
          flow,
          ordinal,
          start: DAWN + ordinal * 1000,
          body,
          status: ordinal % 2 ? 200 : 500,
        })
        index.append(call, samplePeers(flow, { pod: `web-${ordinal % 50}` }))
        ordinal++
        flow.directions[0].packets++
      }
      for (let round = 0; round < 20; round++) {
        for (let i = 0; i < 400; i++) append()
        let flushed = false
        const flushing = index.flush().then(() => {
          flushed = true
        })
        asking.push(
          index.calls({ filter: kfl('status == 500 and src.pod == "web-8"'), limit: 20, order: 'newest' }),
          index.stats({ filter: everything, group_by: 'src', limit: 5 }),
          index.call(`node-1/4711/${round * 100}`),
          index.flows({ limit: 5, order: 'bytes' }),
          index.count(kfl('response.body contains "ff" and status == 200'), {
            start: DAWN / 1000 + ordinal - 200,
          }),
        )
        for (let extra = 0; !flushed; extra++) {
          if (extra < 100) append()
          await new Promise((resolve) => setImmediate(resolve))
        }
        await flushing
      }
      await Promise.all(asking)
      await index.flush()
      expect(chunksIn(folder)).toBeGreaterThan(3)
      const summary = await index.summary()
      expect(summary.calls).toBe(ordinal)
      expect(summary.flows).toBe(1)
      expect(await index.count(everything, {})).toBe(ordinal)
      expect(await index.count(kfl('status == 500'), {})).toBe(Math.ceil(ordinal / 2))
      const { flows } = await index.flows({ limit: 5, order: 'bytes' })
      expect(flows.map(({ client_stats }) => client_stats.tx_pkts)).toEqual([ordinal + 4])
      const seen = new Set<string>()
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await index.calls({
          filter: everything,
          limit: 1000,
          order: 'newest',
          ...(cursor && { cursor }),
        })
        for (const { id } of page.calls) seen.add(id)
        cursor = page.next_cursor
        more = cursor !== undefined
      }
      expect(seen.size).toBe(ordinal)
      expect((await index.call('node-1/4711/3'))?.response?.body?.length).toBe(8000)
    }))

  it('checkpoint their log before it is long, also during queries', () =>
    inFolder(openIndex, async (open, folder) => {
      const index = await open()
      const flow = sampleFlow()
      const log = () =>
        statSync(join(folder, 'chunk-000001', 'calls.duckdb.wal'), { throwIfNoEntry: false })?.size ?? 0
      const asking: Promise<unknown>[] = []
      let longest = 0
      for (let ordinal = 0; ordinal < 15_000; ordinal++) {
        const path = `/${ordinal}/${'x'.repeat(2000)}`
        index.append(sampleCall({ flow, ordinal, start: DAWN + ordinal, path }), samplePeers(flow))
        if (ordinal % 500 < 499) continue
        asking.push(index.count(kfl('path contains "/77"'), {}))
        await index.flush()
        longest = Math.max(longest, log())
        while (log() > 8 * MIB) await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await Promise.all(asking)
      expect(longest).toBeGreaterThan(8 * MIB)
      expect(longest).toBeLessThan(12 * MIB)
      expect(await index.count(everything, {})).toBe(15_000)
      expect(await index.count(kfl('path contains "/77"'), {})).toBe(111)
    }))

  it('begin anew where one has more names than it should hold in memory', () =>
    inFolder(openIndex, async (open, folder) => {
      const index = await open()
      for (let id = 0; id < 70_000; id++) {
        const flow = sampleFlow({ id, client: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}` })
        flow.closed = 'fin'
        index.append(sampleCall({ flow, start: DAWN + id }), samplePeers(flow))
        if (id % 10_000 === 9_999) await index.flush()
      }
      await index.flush()
      expect(chunksIn(folder)).toBe(2)
      expect((await index.summary()).flows).toBe(70_000)
      expect(await index.count(kfl('src.ip == "10.0.255.255" or src.ip == "10.1.0.1"'), {})).toBe(2)
    }))

  it('are plain databases that others can open, with names in place of numbers', () =>
    inFolder(openIndex, async (open, folder) => {
      const index = await open()
      const flow = sampleFlow({ handshake: 33 })
      index.append(
        sampleCall({ flow, path: '/a', status: 404 }),
        samplePeers(flow, { pod: 'web-1' }, { svc: 'api' }),
      )
      index.append({ ...sampleCall({ flow, ordinal: 1 }), summary: { status: 'OK' } }, samplePeers(flow))
      await index.close()
      const path = join(folder, 'chunk-000001', 'calls.duckdb')
      const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' })
      const connection = await instance.connect()
      const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()
      expect(
        await rows(
          'SELECT time, src_pod, dst_svc, path, status, error, latency_ms FROM call ORDER BY ordinal',
        ),
      ).toEqual([
        ['2026-01-01 00:00:00', 'web-1', 'api', '/a', '404', '404 Reason', 5],
        ['2026-01-01 00:00:00', null, null, null, 'OK', null, 5],
      ])
      expect(await rows('SELECT transport, server_ip, server_port, handshake_us FROM flow')).toEqual([
        ['tcp', '10.0.0.2', 80, 33],
      ])
      connection.closeSync()
      instance.closeSync()
    }))

  it('are continued by the next process where there is room', () =>
    inFolder(openIndex, async (open, folder) => {
      for (let round = 0; round < 4; round++) {
        const index = await open()
        const flow = sampleFlow({ id: round + 1 })
        index.append(sampleCall({ flow }), samplePeers(flow))
        await index.close()
      }
      expect(chunksIn(folder)).toBe(1)
      const index = await open({ readOnly: true })
      expect((await index.summary()).calls).toBe(4)
    }))
})
