import type { StreamMessage } from '@tapdeck/api'
import { expect, test, vi } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import type { CallPage } from '../client/hub.ts'
import { HubProblem } from '../client/hub-problem.ts'
import { type NodeReport, Session } from './session.ts'
import type { Socket } from './stream-socket.ts'
import { fakeFrames } from './testing/frames.ts'

const peer = { ip: '10.0.0.1', port: 80 }
const call = (ts: number) =>
  ({ id: `n/${ts}/0`, ts, src: peer, dst: peer, proto: 'http' }) satisfies CompactCall
const emptyPage: CallPage = { calls: [], total: 0, total_is: 'exact', truncated: false, next_cursor: null }

const node = (connected: boolean): NodeReport => ({
  name: 'n',
  version: '0.1.0',
  indexing: true,
  connected,
  capture: { active: connected, interfaces: ['eth0'] },
  packets_captured: 0,
  packets_dissected: 0,
  calls: 0,
  loss: {},
})

class FakeSocket implements Socket {
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: (() => void) | null = null
  readonly sent: unknown[] = []
  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(): void {}
  say(message: StreamMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

function openSession(kfl = '', db?: string, answer: () => CallPage = () => emptyPage) {
  const sockets: FakeSocket[] = []
  const problems: HubProblem[] = []
  const asked: string[] = []
  const session = new Session(
    { kfl, db },
    {
      connect: () => {
        sockets.push(new FakeSocket())
        return sockets.at(-1)!
      },
      fetchPage: async (query) => {
        asked.push(query.kfl)
        return answer()
      },
      onChanged: () => {},
      onProblem: (problem) => problems.push(problem),
    },
  )
  session.open(true)
  sockets[0]!.onopen?.()
  return { session, socket: sockets[0]!, sockets, problems, asked }
}

fakeFrames()

test('on open the filter and the watching state are sent, again after a reconnect', () => {
  const { socket, sockets } = openSession('proto == "dns"')
  expect(socket.sent).toEqual([{ kind: 'filter', kfl: 'proto == "dns"' }, { kind: 'resume' }])
  socket.onclose?.()
  vi.advanceTimersByTime(1000)
  sockets[1]!.onopen?.()
  expect(sockets[1]!.sent).toEqual(socket.sent)
})

test('a connection that was lost and is back says from when to when; the first one does not', () => {
  const { session, socket, sockets } = openSession()
  expect(session.missed.get()).toBeUndefined()
  const lostAt = Date.now()
  socket.onclose?.()
  expect(session.missed.get()).toBeUndefined()
  vi.advanceTimersByTime(1000)
  sockets[1]!.onopen?.()
  expect(session.missed.get()?.start).toBe(lostAt)
  expect(session.missed.get()?.end).toBeGreaterThanOrEqual(lostAt)
})

test('calls count only once the hub said that this very filter is in force', () => {
  const { session, socket } = openSession()
  socket.say({ kind: 'calls', calls: [call(1)], skipped: 0 })
  expect(session.feed.get().list.length).toBe(0)
  socket.say({ kind: 'filtered', kfl: '' })
  socket.say({ kind: 'calls', calls: [call(2)], skipped: 4 })
  expect(session.feed.get().list.length).toBe(1)
  expect(session.feed.get().skipped).toBe(4)

  session.show({ db: undefined, kfl: 'http' }, true)
  socket.say({ kind: 'calls', calls: [call(3)], skipped: 0 })
  expect(session.feed.get().list.length).toBe(0)
  socket.say({ kind: 'filtered', kfl: 'http' })
  socket.say({ kind: 'calls', calls: [call(4)], skipped: 0 })
  expect(session.feed.get().list.length).toBe(1)
})

test('a paused stream tells the hub, takes no more calls, and catches up when resumed', async () => {
  const { session, socket, asked } = openSession()
  socket.say({ kind: 'filtered', kfl: '' })
  session.pauseStream()
  expect(socket.sent.at(-1)).toEqual({ kind: 'pause' })
  socket.say({ kind: 'calls', calls: [call(1)], skipped: 0 })
  expect(session.feed.get().list.length).toBe(0)
  await vi.advanceTimersByTimeAsync(5000)
  const before = asked.length
  session.resumeStream()
  expect(socket.sent.at(-1)).toEqual({ kind: 'resume' })
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked.length).toBe(before + 2)
})

test('looking at a dissection is not watching live traffic', () => {
  const { session, socket } = openSession()
  session.show({ db: 'shop/all', kfl: '' }, true)
  expect(socket.sent.at(-1)).toEqual({ kind: 'pause' })
  session.show({ db: undefined, kfl: '' }, true)
  expect(socket.sent.slice(-2)).toEqual([{ kind: 'filter', kfl: '' }, { kind: 'resume' }])
})

test('a refused filter is shown with the calls; any other problem is reported to the page', () => {
  const { session, socket, problems } = openSession('nope ==')
  socket.say({ kind: 'problem', problem: { status: 400, detail: 'unknown field', position: 0, length: 4 } })
  expect(session.feed.get().problem?.message).toBe('unknown field')
  socket.say({ kind: 'problem', problem: { status: 503, detail: 'no worker' } })
  expect(problems.map((problem) => problem.message)).toEqual(['no worker'])
})

test('a closed session leaves no timer behind', () => {
  const { session, socket } = openSession()
  socket.say({ kind: 'filtered', kfl: '' })
  session.close()
  expect(vi.getTimerCount()).toBe(0)
})

test('what no node could answer is asked again once one is connected', async () => {
  const refusal = new HubProblem(503, { detail: 'No worker is connected' })
  let hasNode = false
  const { session, socket } = openSession('', undefined, () => {
    if (hasNode) return { ...emptyPage, calls: [call(1), call(2)] }
    throw refusal
  })
  socket.say({ kind: 'filtered', kfl: '' })
  socket.say({ kind: 'calls', calls: [call(3)], skipped: 0 })
  await vi.advanceTimersByTimeAsync(5000)
  const feed = session.feed.get()
  expect(feed.problem).toBe(refusal)

  hasNode = true
  socket.say({ kind: 'nodes', nodes: [node(false)] })
  await vi.advanceTimersByTimeAsync(5000)
  expect(feed.problem).toBe(refusal)
  socket.say({ kind: 'nodes', nodes: [node(true)] })
  await vi.advanceTimersByTimeAsync(5000)
  expect(feed.problem).toBeUndefined()
  expect(feed.list.length).toBe(3)
})
