import { fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkerRequests } from '@tapdeck/api'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CaptureRequests } from '../capture/capture-message.ts'
import type { Thread } from '../worker-services.ts'
import { RewindQueue } from './rewind-queue.ts'

const query: WorkerRequests['rewind']['input'] = {
  kfl: '',
  limit: 10,
  order: 'newest',
  format: 'compact',
  start: 1000,
  end: 2000,
}

let folder: string
let queue: RewindQueue
let opened: number[]
let asked: { start: number; end: number }[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-rewind-'))
  opened = []
  asked = []
})
afterEach(async () => {
  await queue.stop()
  rmSync(folder, { recursive: true })
})

/** A queue whose thread runs `code` for each request; `post` answers it. */
function open(code: string): RewindQueue {
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
  queue = new RewindQueue({ thread: pathToFileURL(file), start, capture, log: pino({ level: 'silent' }) })
  return queue
}

const isOpen = (fd: number) => {
  try {
    fstatSync(fd)
    return true
  } catch {
    return false
  }
}

test('queries run one after the other, and their files are closed', async () => {
  open(
    `globalThis.busy ??= 0; if (busy++ > 0) post('twice'); else setTimeout(() => { busy = 0; post(String(input.held.parts.length)) }, 20)`,
  )
  const answers = await Promise.all([queue.calls(query), queue.calls(query), queue.call({ id: 'n1/1/0' })])
  expect(answers).toEqual(['1', '1', '1'])
  expect(opened.map(isOpen)).toEqual([false, false, false])
  expect(asked[0]).toEqual({ start: -59_000, end: 62_000 })
})

test('queries beyond the limit of the queue are refused', async () => {
  open(`setTimeout(() => post('ok'), 10)`)
  const some = Array.from({ length: 5 }, () => queue.calls(query))
  expect(() => queue.calls(query)).toThrow(expect.objectContaining({ status: 503, code: 'rewind_busy' }))
  expect(await Promise.all(some)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  expect(await queue.calls(query)).toBe('ok')
})

test('a thread that exits fails its query, and the next query gets a new thread', async () => {
  open(`if (name === 'call') process.exit(1); post('ok')`)
  await expect(queue.call({ id: 'n1/1/0' })).rejects.toMatchObject({ status: 503 })
  expect(await queue.calls(query)).toBe('ok')
  expect(opened.map(isOpen)).toEqual([false, false])
})

test('a new thread gets the inventory first', async () => {
  open(`if (name === 'inventory') { globalThis.names = input; post() } else post(names.pods[0])`)
  queue.setInventory({ pods: ['web-1'] })
  expect(await queue.calls(query)).toBe('web-1')
})

test('a cancelled query ends, running or queued', async () => {
  open(`if (input.query?.kfl !== 'slow') post('ok')`)
  const first = new AbortController()
  const second = new AbortController()
  const running = queue.calls({ ...query, kfl: 'slow' }, first.signal)
  const waiting = queue.calls(query, second.signal)
  second.abort()
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  setTimeout(() => first.abort(), 20)
  await expect(running).rejects.toMatchObject({ status: 503 })
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
  expect(asked.length).toBe(1)
  expect(await queue.calls(query)).toBe('ok')
  expect(opened.map(isOpen)).toEqual([false, false])
})
