import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RecordedBytes, recordTls } from '@tapdeck/tls/testing'
import { type BuiltPacket, Conversation, MICROSECONDS, pcap } from '@tapdeck/wire/testing'
import { runChild } from './peers/child.ts'

/**
 * How fast a capture of TLS connections is opened and dissected with a key log, by `tapdeck dissect` with one thread and by tshark with the
 * same keys: megabytes of the capture in a second of processor time, user and system. The connections are real ones (TLS 1.3,
 * AES-256-GCM, HTTP/1.1), each repeated with other addresses. The requests that are found must be those that were sent.
 * Rounds: TAPDECK_BENCH_ROUNDS (3), the median counts; megabytes: TAPDECK_BENCH_MEGABYTES (32).
 */
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)
const MEGABYTES = Number(process.env.TAPDECK_BENCH_MEGABYTES ?? 32)
const MB = 1_000_000
const RECORDED = 4
const inPcap = pcap(MICROSECONDS, true)
const command = fileURLToPath(new URL('../tapdeck.mjs', import.meta.url))
const WORKLOADS = [
  { name: 'small answers, 200 on a connection', requests: 200, body: 500 },
  { name: 'answers of 16 KB, 50 on a connection', requests: 50, body: 16_000 },
  { name: 'one small answer on a connection', requests: 1, body: 500 },
] as const

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-tls-speed-'))
try {
  for (const { name, requests, body } of WORKLOADS) {
    const [file, keys] = [join(folder, 'capture.pcap'), join(folder, 'keys.log')]
    const sent = await write(file, keys, requests, body)
    const size = statSync(file).size
    const rates: Record<'ours' | 'theirs' | 'closed', number[]> = { ours: [], theirs: [], closed: [] }
    for (let round = 0; round < ROUNDS; round++) {
      const ours = dissect(file, ['--keys', keys])
      const theirs = tshark(file, keys)
      for (const [who, found] of [
        ['tapdeck', ours],
        ['tshark', theirs],
      ] as const)
        if (found !== undefined && found.requests !== sent)
          throw new Error(`${who} found ${found.requests} of ${sent} requests`)
      rates.ours.push(size / ours.seconds)
      rates.closed.push(size / dissect(file, []).seconds)
      if (theirs !== undefined) rates.theirs.push(size / theirs.seconds)
    }
    const rate = (of: readonly number[]) =>
      of.length === 0 ? 'not installed' : `${(median(of) / MB).toFixed(1)} MB/s`
    console.log(
      `${name}: ${Math.round(size / MB)} MB, ${sent} requests; tapdeck ${rate(rates.ours)} (without keys ${rate(rates.closed)}), tshark ${rate(rates.theirs)}; load ${loadavg()[0]!.toFixed(0)}`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function dissect(file: string, options: readonly string[]) {
  const args = [command, 'dissect', '--threads', '1', '--format', 'ndjson', ...options, file]
  const result = runChild(process.execPath, args)
  if (result === undefined) throw new Error('no node')
  return { seconds: result.seconds, requests: result.output.split('"proto":"http"').length - 1 }
}

function tshark(file: string, keys: string) {
  const options = ['-n', '-r', file, '-o', `tls.keylog_file:${keys}`, '-d', 'tcp.port==443,tls']
  const shown = [
    '-Y',
    'http.request or http.response',
    '-T',
    'fields',
    '-e',
    'http.request.uri',
    '-e',
    'http.response.code',
  ]
  const result = runChild('tshark', [...options, ...shown])
  if (result === undefined) return undefined
  return {
    seconds: result.seconds,
    requests: result.output.split('\n').filter((line) => line.startsWith('/')).length,
  }
}

async function write(file: string, keys: string, requests: number, body: number): Promise<number> {
  const recorded: { bytes: readonly RecordedBytes[]; keyLog: string }[] = []
  for (let number = 0; number < RECORDED; number++) recorded.push(await record(requests, body))
  writeFileSync(keys, recorded.map(({ keyLog }) => keyLog).join(''))
  writeFileSync(file, inPcap([]))
  const header = statSync(file).size
  let connections = 0
  for (let size = 0; size < MEGABYTES * MB; connections++) {
    const records = inPcap(packetsOf(recorded[connections % RECORDED]!.bytes, connections)).subarray(header)
    size += records.length
    appendFileSync(file, records)
  }
  return connections * requests
}

async function record(
  requests: number,
  length: number,
): Promise<{ bytes: readonly RecordedBytes[]; keyLog: string }> {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
  return recordTls({
    serve: (socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write(answer))
    },
    async ask(socket) {
      let received = 0
      for (let number = 1; number <= requests; number++) {
        socket.write(`GET /${number} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)
        while (received < number * answer.length) received += (await once(socket, 'data'))[0].length
      }
    },
  })
}

function packetsOf(bytes: readonly RecordedBytes[], number: number): BuiltPacket[] {
  const connection = new Conversation({
    ...{ client: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, server: '10.255.0.1' },
    ...{ clientPort: 20_000 + (number % 40_000), serverPort: 443, segmentSize: 1448 },
  }).handshake()
  for (const { side, bytes: part } of bytes) connection.send(side, part)
  return connection.close().packets
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
