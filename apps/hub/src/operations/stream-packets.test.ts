import type { WorkerRequests } from '@tapdeck/api'
import { CaptureNotes, CaptureReader } from '@tapdeck/wire'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { afterEach, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const START = 1_700_000_000_000
const MAX_BEHIND_MS = 30_000
const noPackets = { size_bytes: 0, dropped_packets: 0, start_ts: null, end_ts: null, partial: false }
type Window = WorkerRequests['window']['input']

/** A worker whose recording has these packets, and whose clock is in the hand of the test. */
function recording(packets: readonly BuiltPacket[], clock: () => number, windows: Window[] = []): Answers {
  return {
    boundaries: () => ({
      ...{ oldest_ts: START, newest_ts: clock(), size_bytes: 0, packet_count: 0, dropped_packets: 0 },
      now: clock(),
    }),
    async window(input, worker, id) {
      windows.push(input)
      const inside = packets.filter(({ time }) => time >= input.start * 1000 && time <= input.end * 1000)
      if (!input.count_only) await worker.piece(id, captureFile(inside))
      return { ...noPackets, packet_count: inside.length }
    },
  }
}

function readCapture(bytes: Uint8Array) {
  const seen: { readonly time: number }[] = []
  const notes = new CaptureNotes()
  const reader = new CaptureReader(
    { packet: (_data, _start, _end, _length, time) => void seen.push({ time }) },
    {},
    notes,
  )
  reader.push(bytes)
  return { seen, notes }
}

async function open(query: string, headers: Record<string, string> = {}) {
  const response = await hub.fetch(
    new Request(`http://127.0.0.1/api/packets${query}`, { headers: { host: '127.0.0.1', ...headers } }),
  )
  return { response, reader: () => response.body!.getReader() }
}

it('passes on live packets once, in pieces of the recording, until the reader leaves', async () => {
  hub = await startHub()
  const packets = httpPackets({ requests: 20, start: START + 2000 })
  let clock = START + 1000
  await hub.worker(
    'n1',
    recording(packets, () => {
      clock += 100
      return clock
    }),
  )
  const { response, reader: begin } = await open('')
  const reader = begin()
  expect(response.headers.get('content-type')).toBe('application/x-pcapng')
  let bytes = Buffer.alloc(0)
  const read = async () => {
    bytes = Buffer.concat([bytes, (await reader.read()).value!])
    return readCapture(bytes)
  }
  const { seen, notes } = await until(read, (capture) => capture.seen.length >= packets.length)
  expect(seen.map(({ time }) => time)).toEqual(packets.map(({ time }) => time))
  expect(notes.interfaces).toMatchObject([{ name: 'n1' }])
  await reader.cancel()
})

it('skips what a reader is too far behind for, and the capture says how many packets of which time', async () => {
  hub = await startHub()
  const packets = httpPackets({ requests: 20, start: START + 2000 })
  let clock = START + 1000
  const windows: Window[] = []
  await hub.worker(
    'n1',
    recording(packets, () => clock, windows),
  )
  const reader = (await open('')).reader()
  await reader.read()
  await until(
    () => {
      clock += 10
    },
    () => windows.length > 0,
  )
  clock += 2 * MAX_BEHIND_MS
  let bytes = captureFile([])
  const { notes } = await until(
    async () => {
      bytes = Buffer.concat([bytes, (await reader.read()).value!])
      return readCapture(bytes)
    },
    (capture) => capture.notes.comments.some(({ packet }) => packet === undefined),
  )
  expect(windows.some(({ count_only }) => count_only)).toBe(true)
  expect(notes.comments.find(({ packet }) => packet === undefined)!.text).toMatch(
    new RegExp(
      `^tapdeck: n1: ${packets.length} recorded packets from .* were skipped: the capture is read too slowly$`,
    ),
  )
  await reader.cancel()
})

it('a past window is ordered by time over its nodes, ends by itself, and keeps what a BPF expression and pods select', async () => {
  hub = await startHub()
  const one = httpPackets({ requests: 20, start: START })
  const other = httpPackets({ requests: 20, start: START + 1, client: '10.0.0.7' })
  const clock = () => START + 60_000
  await hub.worker('n1', recording(one, clock))
  await hub.worker('n2', recording(other, clock))
  await hub.send('PUT', '/api/inventory', {
    pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.7'] }],
    services: [],
  })
  const window = `?start_time=${START}&end_time=${START + 60_000}`
  const times = async (query: string) => {
    const { response } = await open(window + query)
    return readCapture(new Uint8Array(await response.arrayBuffer())).seen.map(({ time }) => time)
  }
  const both = [...one, ...other].map(({ time }) => time).sort((a, b) => a - b)
  expect(await times('')).toEqual(both)
  expect(await times('&nodes=n1')).toEqual(one.map(({ time }) => time))
  expect(await times('&pods=cart-1')).toEqual(other.map(({ time }) => time))
  expect(await times('&bpf_filter=udp')).toEqual([])
})

it('says what is wrong before anything is sent', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=false'] })
  await hub.worker(
    'n1',
    recording([], () => START),
  )
  for (const [query, status, code] of [
    ['?nodes=n2', 404, 'unknown_node'],
    ['?bpf_filter=tpc', 400, 'bad_filter'],
    ['?kfl=http', 409, 'indexing_paused'],
    ['?end_time=5', 400, 'invalid_input'],
    ['?pods=absent-1&start_time=5', 404, 'unknown_pod'],
    ['?filter=udp', 400, 'invalid_input'],
  ] as const)
    expect((await hub.get(`/api/packets${query}`)).json, query).toMatchObject({ status, code })
})

it('needs the rights to live data and to packets, and tls:read for secrets', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  await hub.worker(
    'n1',
    recording([], () => START),
  )
  const status = async (role: string, query = '?start_time=1&end_time=2') => {
    const { headers } = giveToken(hub.folder, role)
    return (await hub.get(`/api/packets${query}`, headers)).status
  }
  expect(await status('svc-viewer')).toBe(200)
  expect(await status('svc-realtime')).toBe(403)
  expect(await status('svc-snapshot')).toBe(403)
  expect(await status('svc-viewer', '?start_time=1&end_time=2&tls_keys=true')).toBe(403)
  expect(await status('svc-admin', '?start_time=1&end_time=2&tls_keys=true')).toBe(200)
})
