import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EventLog, Owners, type RecordedEvent } from '@tapdeck/recording'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OsEvents } from './os-events.ts'

let folder: string
let events: OsEvents
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-os-'))
})
afterEach(() => {
  events.close()
  rmSync(folder, { recursive: true, force: true })
})

const listening =
  'require("net").createServer(s=>s.end()).listen(0,"127.0.0.1",function(){console.log(this.address().port)})'

describe.skipIf(process.platform !== 'linux')('OsEvents', () => {
  it('records start, end and sockets of a process, also for a later reader', async () => {
    const told: RecordedEvent[] = []
    const open = () =>
      OsEvents.open({ folder, maxBytes: 1 << 20, node: 'n1', owned: (owned) => void told.push(...owned) })
    events = await open()
    events.setLive(true)
    const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [port] = await once(child.stdout!, 'data')
    const find = async (type: string) =>
      (await events.find({ pid: child.pid!, type, order: 'oldest', limit: 10 })).events[0]
    const until = async (type: string) => {
      for (;;) {
        const found = await find(type)
        if (found) return found
        await sleep(20)
      }
    }
    expect(await until('process_start')).toMatchObject({ node: 'n1', kind: 'os', ppid: process.pid })
    // Without kernel tracing, only the next poll of /proc finds the socket.
    if (events.reason === undefined) {
      expect(await until('listen_open')).toMatchObject({ local: `127.0.0.1:${Number(port)}` })
      const owners = new Owners()
      for (const event of told) owners.learn(event)
      const server = { ip: '127.0.0.1', port: Number(port) }
      expect(owners.name('tcp', server, { ip: '127.0.0.1', port: 1 }, Date.now())).toBe('node')
    }
    child.kill('SIGKILL')
    const ended = await until('process_exit')
    if (events.reason === undefined) expect(ended).toMatchObject({ comm: 'node', signal: 9 })
    const before = events.recent.length
    events.close()
    events = await open()
    expect(events.recent.length).toBeGreaterThanOrEqual(before)
    expect(await find('process_exit')).toBeDefined()
  })

  it('applies the redaction rules to arguments', async () => {
    const shownArgument = (argument: string) => argument.replace('hunter2', '*******')
    events = await OsEvents.open({ folder, maxBytes: 1 << 20, node: 'n1', shownArgument, owned() {} })
    events.setLive(true)
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)', 'hunter2'], {
      stdio: 'ignore',
    })
    try {
      const find = async () =>
        (await events.find({ pid: other.pid!, type: 'process_start', order: 'oldest', limit: 1 })).events[0]
      await expect.poll(find, { timeout: 10_000 }).toBeDefined()
      expect(await find()).toMatchObject({ cmdline: expect.stringMatching(/\*{7}$/) })
    } finally {
      other.kill('SIGKILL')
    }
  })

  it('records no secrets of arguments', async () => {
    events = await OsEvents.open({ folder, maxBytes: 1 << 20, node: 'n1', owned() {} })
    events.setLive(true)
    const script = 'setTimeout(() => {}, 30_000)'
    const secrets = [
      '--token',
      'hunter2',
      'PGPASSWORD=hunter3',
      'https://me:hunter4@host/',
      `tpd_${'h'.repeat(43)}`,
    ]
    const other = spawn(process.execPath, ['-e', script, '--', ...secrets, 'last'], { stdio: 'ignore' })
    try {
      const query = { pid: other.pid!, type: 'process_start', order: 'oldest', limit: 1 } as const
      const find = async (more: object = {}) => (await events.find({ ...query, ...more })).events[0]
      await expect.poll(find, { timeout: 10_000 }).toBeDefined()
      expect((await find())?.cmdline).toMatch(
        / --token \*\*\* PGPASSWORD=\*\*\* https:\/\/\*\*\*@host\/ \*\*\* last$/,
      )
      expect(await events.find({ ...query, name: 'last' })).toMatchObject({ total: 1 })
      expect(await events.find({ ...query, name: 'last', hide_cmdline: true })).toMatchObject({
        total: 0,
        cmdline_hidden: true,
      })
      const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
      expect(files.join('')).toContain('PGPASSWORD=***')
      expect(files.join('')).not.toMatch(/hunter\d|tpd_/)
    } finally {
      other.kill('SIGKILL')
    }
  })

  it('returns no secret that an earlier version recorded', async () => {
    const log = EventLog.open(folder, { maxBytes: 1 << 20 })
    const old = { ts: 1000, kind: 'os', type: 'process_start', node: 'n1', pid: 1, comm: 'curl' } as const
    log.append([{ ...old, cmdline: 'curl -H Authorization: Bearer hunter2 https://shop/' }])
    log.close()
    events = await OsEvents.open({ folder, maxBytes: 1 << 20, node: 'n1', owned() {} })
    const all = { order: 'oldest', limit: 10 } as const
    const cmdline = 'curl -H Authorization: *** https://shop/'
    expect((await events.find({ ...all, pid: 1 })).events).toEqual([{ ...old, cmdline }])
    expect((await events.find({ ...all, name: 'hunter' })).total).toBe(0)
    for await (const { lines } of events.window(500, 2000))
      expect(lines.toString()).toBe(`${JSON.stringify({ ...old, cmdline })}\n`)
  })

  it('returns the events of a window, and only ownership events of the time before it', async () => {
    const line = (ts: number, type: string): RecordedEvent => ({ ts, kind: 'os', type, node: 'n1', pid: 1 })
    const log = EventLog.open(folder, { maxBytes: 1 << 20 })
    log.append(['process_start', 'listen_open', 'connection_open'].map((type) => line(100_000, type)))
    log.append([line(200_000, 'process_start'), line(300_000, 'process_start')])
    log.close()
    events = await OsEvents.open({ folder, maxBytes: 1 << 20, node: 'n1', owned() {} })
    const found: string[] = []
    for await (const { lines, count } of events.window(150_000, 250_000)) {
      const texts = lines.toString().trim().split('\n')
      expect(texts).toHaveLength(count)
      found.push(...texts.map((text) => `${JSON.parse(text).ts} ${JSON.parse(text).type}`))
    }
    expect(found).toEqual(['100000 listen_open', '100000 connection_open', '200000 process_start'])
  })
})
