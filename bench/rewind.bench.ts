import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Dissection } from '@tapdeck/dissect'
import { Ring } from '@tapdeck/recording'
import { CaptureReader, PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { Rewind } from '../apps/worker/src/rewind/rewind.ts'

/**
 * One host out of a ring of 1 GB, straight from the recording, next to a dissection of the whole ring: bytes read,
 * time and processor time. HTTP with answers of 8 KB, from 200 clients over keep-alive connections; one more client has a
 * call every few seconds. Files are in the page cache for both.
 */
const GB = 1_000_000_000
const ROUNDS = 3
const START = 1_700_000_000_000_000
const CLIENTS = 200

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
try {
  const options = { maxBytes: 2 ** 31, node: 'n', application: 'bench' }
  const end = fill(options)
  const ring = Ring.open(join(folder, 'ring'), options)
  const indexing = process.cpuUsage()
  while (ring.maintain());
  const indexCpu = cpuSince(indexing)
  const { size_bytes, packet_count } = ring.boundaries()
  console.log(
    `ring: ${mb(size_bytes)} MB, ${packet_count} packets; its index took ${indexCpu.toFixed(2)} s of processor`,
  )

  const whole = median(await rounds(() => dissectAll(ring, end)))
  report('whole ring dissected', whole)
  for (const kfl of [
    'src.ip == 10.9.9.9',
    'src.ip == 10.9.9.9 and path == "/rare/3"',
    'src.ip == 10.250.0.1',
  ]) {
    const one = median(await rounds(() => rewind(ring, kfl, end)))
    report(`rewind ${kfl}`, one)
    if (one.read > 0)
      console.log(
        `  ${(whole.read / one.read).toFixed(0)} times less read, ${(whole.seconds / one.seconds).toFixed(0)} times faster`,
      )
  }
  report('rewind, newest 100 of all', median(await rounds(() => rewind(ring, '', end, 100))))
  ring.close()
} finally {
  rmSync(folder, { recursive: true })
}

interface Result {
  readonly calls: number
  readonly packets: number
  readonly read: number
  readonly seconds: number
  readonly cpu: number
}

/** Returns the time of the last packet. */
function fill(options: { maxBytes: number; node: string; application: string }): number {
  const ring = Ring.open(join(folder, 'ring'), options)
  ring.addInterface({ name: 'eth0', link: 1 })
  const talks = Array.from({ length: CLIENTS }, (_, at) =>
    new Conversation({
      client: `10.0.${at >> 7}.${at & 127}`,
      server: '10.1.0.1',
      clientPort: 20_000 + at,
      start: START,
      step: 3,
    }).handshake(),
  )
  const rare = new Conversation({
    client: '10.9.9.9',
    server: '10.1.0.1',
    clientPort: 7777,
    start: START,
  }).handshake()
  const writer = new PcapngWriter()
  const body = JSON.stringify({ text: 'lorem ipsum '.repeat(700) })
  let written = 0
  let time = START
  for (let round = 0; written < GB; round++) {
    for (const [at, talk] of talks.entries()) {
      talk.time = time + at * 40
      exchange(talk, `/orders/${round}`, body)
    }
    time += 10_000
    if (round % 50 === 0) {
      rare.time = time
      exchange(rare, `/rare/${round / 50}`, 'ok')
    }
    const packets = [...talks.flatMap((talk) => talk.packets.splice(0)), ...rare.packets.splice(0)].sort(
      (a, b) => a.time - b.time,
    )
    for (let from = 0; from < packets.length; from += 400) {
      const some = packets.slice(from, from + 400)
      for (const { data, time: at } of some) writer.packet(0, at, data, 0, data.length, data.length)
      const block = writer.take()
      written += block.length
      ring.append(block, block.length, {
        packets: some.length,
        first: some[0]!.time,
        last: some.at(-1)!.time,
        drops: 0,
      })
    }
  }
  ring.close()
  return time + 1_000_000
}

function exchange(talk: Conversation, path: string, body: string): void {
  talk.send(0, `GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`)
  talk.send(
    1,
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}

async function dissectAll(ring: Ring, end: number): Promise<Omit<Result, 'seconds' | 'cpu'>> {
  const dissection = new Dissection({ emit() {} })
  const capture = new CaptureReader(dissection, dissection.loss)
  const reader = ring.window(0, end / 1000)
  for await (const chunk of reader) capture.push(chunk)
  capture.end()
  dissection.end()
  return { calls: dissection.calls, packets: dissection.packets, read: reader.readBytes }
}

async function rewind(
  ring: Ring,
  kfl: string,
  end: number,
  limit = 1000,
): Promise<Omit<Result, 'seconds' | 'cpu'>> {
  const budget = { time: 600_000, bytes: 2 ** 40 }
  const search = new Rewind({ node: 'n', bodyBytes: 65_536, budget }, () => performance.now())
  const parts = ring.hold(0, end / 1000)
  const window = { start: START / 1000, end: end / 1000 }
  const page = await search.calls(
    { parts, oldest: START / 1000 },
    { kfl, limit, order: 'newest', format: 'compact', ...window },
  )
  for (const { fd } of parts) closeSync(fd)
  return { calls: page.calls.length, packets: page.rewind.packets, read: page.rewind.read_bytes }
}

async function rounds(run: () => Promise<Omit<Result, 'seconds' | 'cpu'>>): Promise<Result[]> {
  const results: Result[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [began, before] = [performance.now(), process.cpuUsage()]
    const result = await run()
    results.push({ ...result, seconds: (performance.now() - began) / 1000, cpu: cpuSince(before) })
  }
  return results
}

function median(results: readonly Result[]): Result {
  return results.toSorted((a, b) => a.cpu - b.cpu)[results.length >> 1]!
}

function report(name: string, { calls, packets, read, seconds, cpu }: Result): void {
  console.log(
    `${name}: ${calls} calls, ${packets} packets dissected, ${mb(read)} MB read, ${seconds.toFixed(2)} s, ${cpu.toFixed(2)} s of processor`,
  )
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
