import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fstatSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerRequests } from '@tapdeck/api'
import { ownAgents } from '@tapdeck/own-ports'
import { CaptureDigest, Ring, type WindowPart } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HeldWindow, InterruptedWindows } from './interrupted-windows.ts'
import type { UploadStep } from './window-upload.ts'
import { WindowUploads } from './window-uploads.ts'

type Input = WorkerRequests['upload']['input']

const PACKETS = 3000
const PART = 500_000
const window = { start: 0, end: PACKETS }
let folder: string
let ring: Ring
let held: HeldWindow[]
let uploads: WindowUploads
let server: Server
let status = 200
const stored = new Map<string, Buffer>()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-uploads-'))
  ring = Ring.open(folder, { maxBytes: 1 << 30, node: 'n', application: 'test' })
  ring.addInterface({ link: 1, name: 'eth0' })
  const writer = new PcapngWriter()
  for (let at = 0; at < PACKETS; at++) {
    writer.packet(0, at * 1000, new Uint8Array(1000).fill(at), 0, 1000, 1000)
    const block = writer.take()
    ring.append(block, block.length, { packets: 1, first: at * 1000, last: at * 1000, drops: 0 })
  }
  held = []
  uploads = new WindowUploads(
    async ({ start, end }) => {
      const one = { parts: ring.hold(start, end), oldest: ring.boundaries().oldest_ts }
      held.push(one)
      return one
    },
    new InterruptedWindows(),
    ownAgents(undefined),
  )
  status = 200
  stored.clear()
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (status === 200) stored.set(request.url ?? '', Buffer.concat(chunks))
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  ring.close()
  rmSync(folder, { recursive: true })
})

const never = new AbortController().signal
const inputOf = (upload: string, parts: Input['parts'] = []): Input => ({
  ...{ upload, parts, ...window, part_bytes: PART },
})
const grants = ({ answer }: UploadStep, keep: (number: number) => boolean = () => true) =>
  answer.ready.map(({ number }) => ({
    number,
    ...(keep(number) && { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${number}` }),
  }))

/** All steps of an upload, as the hub asks for them. */
async function run(keep?: (number: number) => boolean): Promise<UploadStep[]> {
  const upload = randomUUID()
  const steps = [await uploads.step(inputOf(upload), never)]
  while (steps.at(-1)!.answer.result === undefined)
    steps.push(await uploads.step(inputOf(upload, grants(steps.at(-1)!, keep)), never))
  return steps
}

async function expected(): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of ring.window(window.start, window.end)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Another file may have got the number of one that was closed. */
const isOpen = ({ fd, path }: WindowPart) => {
  try {
    return fstatSync(fd).ino === statSync(path).ino
  } catch {
    return false
  }
}
const openParts = () => held.flatMap(({ parts }) => parts).filter(isOpen).length

test('the parts together are the window, few are ready at a time, and the summary is that of the whole', async () => {
  const steps = await run()
  const all = await expected()
  const parts = [...stored].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
  expect(Buffer.concat(parts.map(([, bytes]) => bytes)).equals(all)).toBe(true)
  for (const [, bytes] of parts.slice(0, -1)) expect(bytes.length).toBe(PART)
  for (const { answer } of steps) expect(answer.ready.length).toBeLessThanOrEqual(2)
  const digest = new CaptureDigest()
  digest.update(all)
  const { index, ...summary } = digest.end()
  const { answer, summary: found } = steps.at(-1)!
  expect(answer.result).toMatchObject({
    ...{ packet_count: PACKETS, size_bytes: all.length, sha256: summary.sha256, partial: false },
    ...{ sums_bytes: summary.sums.length, index_bytes: index!.length },
  })
  expect(Buffer.from(found!.sums)).toEqual(Buffer.from(summary.sums))
  expect(Buffer.from(found!.index!)).toEqual(Buffer.from(index!))
  expect([held.length, openParts()]).toEqual([1, 0])
})

test('large parts are read one by one: each takes its size in memory', async () => {
  const packet = new Uint8Array(250_000)
  const writer = new PcapngWriter()
  for (let at = 0; at < 300; at++) {
    writer.packet(0, at * 1000, packet, 0, packet.length, packet.length)
    const block = writer.take()
    ring.append(block, block.length, { packets: 1, first: at * 1000, last: at * 1000, drops: 0 })
  }
  const part_bytes = 33 * 1024 * 1024
  const { answer } = await uploads.step({ ...inputOf(randomUUID()), part_bytes }, never)
  expect(answer.ready).toMatchObject([{ number: 1, size: part_bytes }])
})

test('parts that the hub has are not sent', async () => {
  const steps = await run((number) => number !== 2)
  expect(stored.has('/2')).toBe(false)
  expect(steps.flatMap(({ answer }) => answer.sent)).not.toContain(2)
  expect(steps.at(-1)!.answer.result).toMatchObject({ packet_count: PACKETS })
})

test('a refusal of the storage ends an upload, and its segments are closed', async () => {
  const upload = randomUUID()
  const first = await uploads.step(inputOf(upload), never)
  status = 403
  await expect(uploads.step(inputOf(upload, grants(first)), never)).rejects.toMatchObject({
    code: 'upload_failed',
  })
  expect(openParts()).toBe(0)
  await expect(uploads.step(inputOf(upload, grants(first)), never)).rejects.toMatchObject({
    code: 'unknown_upload',
  })
})

test('a part that is not ready is refused, and no more than two uploads run', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  await uploads.step(inputOf(one), never)
  await uploads.step(inputOf(two), never)
  await expect(uploads.step(inputOf(randomUUID()), never)).rejects.toMatchObject({ code: 'worker_busy' })
  await expect(uploads.step(inputOf(one, [{ number: 9 }]), never)).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await expect(run()).resolves.toBeDefined()
})

test('after a lost connection another upload of the window has the same segments', async () => {
  const upload = randomUUID()
  await uploads.step(inputOf(upload), never)
  uploads.drop()
  const all = await expected()
  const parts = openParts()
  expect(parts).toBeGreaterThan(0)
  const steps = await run()
  expect(held).toHaveLength(1)
  expect(steps.at(-1)!.answer.result).toMatchObject({ size_bytes: all.length })
  expect(openParts()).toBe(0)
})
