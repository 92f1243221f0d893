import { fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerRequests } from '@tapdeck/api'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CaptureRequests } from '../capture/capture-message.ts'
import type { Thread } from '../parts.ts'
import { RewindDesk } from './rewind-desk.ts'

const query: WorkerRequests['rewind']['input'] = {
  kfl: '',
  limit: 10,
  order: 'newest',
  format: 'compact',
  start: 1000,
  end: 2000,
}

let folder: string
let desk: RewindDesk
let opened: number[]
let asked: { start: number; end: number }[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-desk-'))
  opened = []
  asked = []
})
afterEach(async () => {
  await desk.stop()
  rmSync(folder, { recursive: true })
})

/** A desk whose thread does with each question what the code says; `post` answers it. */
function open(code: string): RewindDesk {
  const file = join(folder, 'thread.mjs')
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'
     parentPort.on('message', ({ id, name, input }) => {
       const post = (output) => parentPort.postMessage({ id, output })
       ${code}
     })`,
  )
  const segment = join(folder, 'segment')
  writeFileSync(segment, 'packets')
  const capture = {
    async ask(_name: 'hold', input: { start: number; end: number }) {
      asked.push(input)
      const fd = openSync(segment, 'r')
      opened.push(fd)
      return {
        parts: [{ fd, path: segment, start: 0, end: 1, bytes: 7, packets: 1, drops: 0, open: false }],
        oldest: 0,
      }
    },
  } as unknown as Thread<CaptureRequests>
  const start = { node: 'n1', bodyBytes: 1024, budget: { time: 1000, bytes: 1000 } }
  desk = new RewindDesk({ thread: pathToFileURL(file), start, capture, log: pino({ level: 'silent' }) })
  return desk
}

const isOpen = (fd: number) => {
  try {
    fstatSync(fd)
    return true
  } catch {
    return false
  }
}

test('questions are answered one after the other, and their files closed', async () => {
  open(
    `globalThis.busy ??= 0; if (busy++ > 0) post('twice'); else setTimeout(() => { busy = 0; post(String(input.held.parts.length)) }, 20)`,
  )
  const answers = await Promise.all([desk.calls(query), desk.calls(query), desk.call({ id: 'n1/1/0' })])
  expect(answers).toEqual(['1', '1', '1'])
  expect(opened.map(isOpen)).toEqual([false, false, false])
  expect(asked[0]).toEqual({ start: -59_000, end: 62_000 })
})

test('more than a few that wait are refused', async () => {
  open(`setTimeout(() => post('ok'), 10)`)
  const some = Array.from({ length: 5 }, () => desk.calls(query))
  expect(() => desk.calls(query)).toThrow(expect.objectContaining({ status: 503, code: 'rewind_busy' }))
  expect(await Promise.all(some)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  expect(await desk.calls(query)).toBe('ok')
})

test('a thread that falls over fails its question, and the next has another', async () => {
  open(`if (name === 'call') process.exit(1); post('ok')`)
  await expect(desk.call({ id: 'n1/1/0' })).rejects.toMatchObject({ status: 503 })
  expect(await desk.calls(query)).toBe('ok')
  expect(opened.map(isOpen)).toEqual([false, false])
})

test('a thread that began later is told the names first', async () => {
  open(`if (name === 'inventory') { globalThis.names = input; post() } else post(names.pods[0])`)
  desk.setInventory({ pods: ['web-1'] })
  expect(await desk.calls(query)).toBe('web-1')
})

test('a question that nobody waits for any more is left, also while it waits for its turn', async () => {
  open(`if (input.query?.kfl !== 'slow') post('ok')`)
  const first = new AbortController()
  const second = new AbortController()
  const running = desk.calls({ ...query, kfl: 'slow' }, first.signal)
  const waiting = desk.calls(query, second.signal)
  second.abort()
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  setTimeout(() => first.abort(), 20)
  await expect(running).rejects.toMatchObject({ status: 503 })
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
  expect(asked.length).toBe(1)
  expect(await desk.calls(query)).toBe('ok')
  expect(opened.map(isOpen)).toEqual([false, false])
})
