import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EventLog } from './event-log.ts'
import type { EventQuery } from './event-query.ts'
import type { RecordedEvent } from './recorded-event.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-events-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (ts: number, pid: number, comm = 'curl'): RecordedEvent => ({
  ts,
  kind: 'os',
  type: 'process_start',
  node: 'n1',
  pid,
  ppid: 1,
  comm,
  cmdline: `/usr/bin/${comm} http://shop`,
})
const all: EventQuery = { order: 'oldest', limit: 1000 }
const open = (maxBytes = 1 << 20) => EventLog.open(folder, { maxBytes })
/** Hides what follows `key=`. */
const shown = (cmdline: string) => cmdline.replace(/key=\S+/, 'key=***')
const pids = (events: readonly RecordedEvent[]) => events.map(({ pid }) => pid)
const onDisk = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

describe('EventLog', () => {
  it('gives what was appended, by window, type, pid and a part of a name, in either order', async () => {
    const log = open()
    log.append([start(1000.25, 10), start(2000, 11, 'nginx'), start(3000, 12)])
    log.append([{ ts: 4000, kind: 'cluster', type: 'pod_added', name: 'web-1' }])
    expect((await log.find({ ...all, start: 1000.25, end: 2000 }, shown)).events).toEqual([
      start(1000.25, 10),
      start(2000, 11, 'nginx'),
    ])
    expect(pids((await log.find({ ...all, kind: 'os', order: 'newest' }, shown)).events)).toEqual([
      12, 11, 10,
    ])
    expect(pids((await log.find({ ...all, name: 'ngi' }, shown)).events)).toEqual([11])
    expect(pids((await log.find({ ...all, pid: 12 }, shown)).events)).toEqual([12])
    expect((await log.find({ ...all, type: 'pod_added' }, shown)).total).toBe(1)
  })

  it('counts the whole window and lists a page of it, from a time on', async () => {
    const log = open()
    log.append(Array.from({ length: 50 }, (_, at) => start(at, at)))
    const page = await log.find({ order: 'newest', limit: 3, from: 20 }, shown)
    expect(pids(page.events)).toEqual([20, 19, 18])
    expect(page).toMatchObject({ total: 50, more: true })
  })

  it('finds and gives command lines as they may be shown, whatever was stored', async () => {
    const log = open()
    log.append([{ ...start(1, 1), cmdline: 'run key=hunter2 quickly' }])
    const [event] = (await log.find(all, shown)).events
    expect(event).toMatchObject({ cmdline: 'run key=*** quickly' })
    const total = async (name: string, more: Partial<EventQuery> = {}) =>
      (await log.find({ ...all, name, ...more }, shown)).total
    expect(await total('quickly')).toBe(1)
    expect(await total('hunter')).toBe(0)
    expect(await total('quickly', { hide_cmdline: true })).toBe(0)
    expect(await total('curl', { hide_cmdline: true })).toBe(1)
    expect((await log.find({ ...all, hide_cmdline: true }, shown)).events).toEqual([
      { ts: 1, kind: 'os', type: 'process_start', node: 'n1', pid: 1, ppid: 1, comm: 'curl' },
    ])
  })

  it('cuts a line that was torn by a crash and goes on after it', async () => {
    const log = open()
    log.append([start(1, 1), start(2, 2)])
    log.close()
    const file = join(folder, readdirSync(folder)[0]!)
    appendFileSync(file, '{"ts":3,"kind":"os","ty')
    const again = open()
    again.append([start(4, 4)])
    expect(pids((await again.find(all, shown)).events)).toEqual([1, 2, 4])
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
    expect(again.state).toMatchObject({ count: 3, lost: 0, oldest_ts: 1, newest_ts: 4 })
  })

  it('never takes more than its share, the oldest events making room', async () => {
    const log = open(64 * 1024)
    for (let at = 0; at < 2000; at++) log.append([start(at, at)])
    expect(onDisk()).toBeLessThanOrEqual(64 * 1024)
    expect(log.state.size_bytes).toBe(onDisk())
    const { events } = await log.find(all, shown)
    expect(events.at(-1)?.pid).toBe(1999)
    expect(events[0]?.pid).toBeGreaterThan(0)
    expect(EventLog.open(folder, { maxBytes: 64 * 1024 }).state).toEqual(log.state)
  })

  it('takes a batch that is larger than a segment', async () => {
    const log = open(1 << 20)
    log.append(Array.from({ length: 3000 }, (_, at) => start(at, at)))
    expect((await log.find({ ...all, limit: 5000 }, shown)).total).toBe(3000)
    expect(readdirSync(folder).length).toBeGreaterThan(1)
  })

  it('lets go of segments that are older than the recording', async () => {
    const log = open(64 * 1024)
    for (let at = 0; at < 300; at++) log.append([start(at, at)])
    log.forgetBefore(250)
    const { events } = await log.find(all, shown)
    expect(events[0]!.ts).toBeGreaterThan(0)
    expect(events.some(({ ts }) => ts === 250)).toBe(true)
  })

  it('counts what it cannot store and goes on once it can', async () => {
    const log = open()
    log.append([start(1, 1)])
    log.append([{ ...start(2, 2), cmdline: 'x'.repeat(100_000) }])
    expect(log.state).toMatchObject({ count: 1, lost: 1 })
    log.append([start(3, 3)])
    expect(pids((await log.find(all, shown)).events)).toEqual([1, 3])
  })
})
