import type { StreamMessage } from '@tapdeck/api'
import { expect, test, vi } from 'vitest'
import { type ConnectionState, type Socket, StreamSocket } from './stream-socket.ts'
import { fakeFrames } from './testing/frames.ts'

class FakeSocket implements Socket {
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: (() => void) | null = null
  readonly sent: string[] = []
  closed = false
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {
    this.closed = true
  }
}

function openStream() {
  const sockets: FakeSocket[] = []
  const states: ConnectionState[] = []
  const messages: StreamMessage[] = []
  const stream = new StreamSocket({
    connect: () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    onState: (state) => states.push(state),
    onMessage: (message) => messages.push(message),
    random: () => 1,
  })
  stream.start()
  return { stream, sockets, states, messages }
}

fakeFrames()

test('a closed socket is opened again, later each time, and at once counted anew after success', () => {
  const { sockets, states } = openStream()
  sockets[0]!.onclose?.()
  expect(states.at(-1)).toEqual({ kind: 'waiting', attempt: 1, retryAt: Date.now() + 500 })
  vi.advanceTimersByTime(500)
  expect(sockets).toHaveLength(2)
  sockets[1]!.onclose?.()
  expect(states.at(-1)).toEqual({ kind: 'waiting', attempt: 2, retryAt: Date.now() + 1000 })
  vi.advanceTimersByTime(1000)
  sockets[2]!.onopen?.()
  expect(states.at(-1)).toEqual({ kind: 'open' })
  sockets[2]!.onclose?.()
  expect(states.at(-1)).toEqual({ kind: 'waiting', attempt: 1, retryAt: Date.now() + 500 })
})

test('a socket that says nothing for long is given up', () => {
  const { sockets, states } = openStream()
  sockets[0]!.onopen?.()
  vi.advanceTimersByTime(10_000)
  sockets[0]!.onmessage?.({ data: '{"kind":"nodes","nodes":[]}' })
  vi.advanceTimersByTime(10_000)
  expect(sockets[0]!.closed).toBe(false)
  vi.advanceTimersByTime(5000)
  expect(sockets[0]!.closed).toBe(true)
  expect(states.at(-1)?.kind).toBe('waiting')
})

test('retryNow skips the wait, and never opens a second socket beside a living one', () => {
  const { stream, sockets } = openStream()
  stream.retryNow()
  expect(sockets).toHaveLength(1)
  sockets[0]!.onclose?.()
  stream.retryNow()
  expect(sockets).toHaveLength(2)
  vi.advanceTimersByTime(4000)
  expect(sockets).toHaveLength(2)
})

test('nothing is sent before the socket is open', () => {
  const { stream, sockets } = openStream()
  stream.send({ kind: 'pause' })
  sockets[0]!.onopen?.()
  stream.send({ kind: 'resume' })
  expect(sockets[0]!.sent).toEqual(['{"kind":"resume"}'])
})

test('what is no message is passed over', () => {
  const { sockets, messages } = openStream()
  sockets[0]!.onmessage?.({ data: 'not json' })
  sockets[0]!.onmessage?.({ data: '7' })
  sockets[0]!.onmessage?.({ data: new ArrayBuffer(2) })
  sockets[0]!.onmessage?.({ data: '{"kind":"filtered","kfl":""}' })
  expect(messages).toEqual([{ kind: 'filtered', kfl: '' }])
})

test('after stop no timer is left and no late event is heard', () => {
  const { stream, sockets, states } = openStream()
  const late = sockets[0]!.onclose
  stream.stop()
  expect(sockets[0]!.closed).toBe(true)
  expect(sockets[0]!.onclose).toBeNull()
  expect(late).not.toBeNull()
  expect(vi.getTimerCount()).toBe(0)
  expect(states.at(-1)).toEqual({ kind: 'stopped' })
})
