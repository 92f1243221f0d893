import type { Flow, Loss } from '@tapdeck/wire'
import { follow, Conversation as Talk } from '@tapdeck/wire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { threadFastPaths } from '../accelerated/fast-paths.ts'
import { toy } from '../conformance/toy-protocol.ts'
import type { Call } from '../contract/call.ts'
import { defaultLimits } from '../contract/limits.ts'
import { ReusedFrame } from '../contract/reused-frame.ts'
import { Arena } from '../memory/arena.ts'
import { Budget } from '../memory/budget.ts'
import { Candidates } from './detect/candidates.ts'
import type { EngineContext, Watched } from './engine-context.ts'
import { FollowedFlow } from './followed-flow.ts'
import { DirectionBufferPool } from './frame/direction-buffer-pool.ts'
import { FrameReader } from './frame/frame-reader.ts'

let calls: Call[]
let loss: Loss
let watched: Set<Watched>
let context: EngineContext
let followed: FollowedFlow
let flipped: number

function aFlow(talk = new Talk({ serverPort: 7777 }).handshake()): Flow {
  const [flow] = follow(talk.packets).recorder.flows
  return flow
}

beforeEach(() => {
  calls = []
  loss = {}
  watched = new Set()
  flipped = 0
  const arena = new Arena()
  const frame = new ReusedFrame()
  context = {
    limits: defaultLimits,
    loss,
    budget: new Budget(1_000_000, loss),
    candidates: new Candidates([toy]),
    frame,
    reader: new FrameReader(defaultLimits, loss, frame),
    fastPaths: threadFastPaths,
    directionBuffers: new DirectionBufferPool(),
    copy: (bytes, start, end) => arena.copy(bytes, start, end),
    arena,
    isEnabled: () => true,
    emit: (call) => calls.push(call),
    flip: () => {
      flipped++
      return true
    },
    fault: (error) => {
      throw error
    },
    watch: (flow) => watched.add(flow),
    unwatch: (flow) => watched.delete(flow),
    keys: () => undefined,
    openPlaintext: undefined,
    concealsDecrypted: false,
  }
  followed = new FollowedFlow(aFlow(), context)
})

function send(side: 0 | 1, text: string, time: number): void {
  const bytes = new TextEncoder().encode(text)
  followed.data(side, bytes, 0, bytes.length, time)
}

const lines = () =>
  calls.map(({ summary, missing }) =>
    `${summary.path ?? '-'} ${summary.status ?? '-'} ${missing ?? ''}`.trim(),
  )

describe('a flow', () => {
  it('detects its protocol and pairs requests with responses', () => {
    send(0, 'toy ? a\ntoy ? b\n', 1)
    send(1, 'toy = A\ntoy = B\n', 2)
    expect(lines()).toEqual(['a A', 'b B'])
    expect([followed.protocols, followed.protocolsSeen]).toEqual([['toy'], ['toy']])
  })

  it('numbers its calls', () => {
    send(0, 'toy ! a\ntoy ! b\n', 1)
    expect(calls.map(({ ordinal }) => ordinal)).toEqual([0, 1])
  })

  it('is watched while requests are pending, and expires them', () => {
    send(0, 'toy ? a\n', 1)
    expect(watched.has(followed)).toBe(true)
    expect(followed.expire(2)).toBe(true)
    followed.gap(1, 10, 3, false)
    expect(followed.expire(defaultLimits.patience + 10)).toBe(true)
    expect(lines()).toEqual(['a - gap'])
  })

  it('emits unanswered requests when it closes, and releases its memory', () => {
    send(0, 'toy ? a\n', 1)
    send(1, 'toy = ', 2)
    followed.close(3)
    expect(lines()).toEqual(['a - unfinished'])
    expect([context.budget.used, watched.size]).toEqual([0, 0])
  })

  it('without a detected protocol is one call with its first bytes', () => {
    send(0, 'hello', 1)
    followed.close(2)
    expect(
      calls.map(({ protocol, request }) => [protocol, Buffer.from(request?.body ?? []).toString()]),
    ).toEqual([['tcp', 'hello']])
  })

  it('swaps its sides if the server turns out to be the client', () => {
    followed = new FollowedFlow(aFlow(new Talk({ serverPort: 7777 }).send(0, 'x')), context)
    send(1, 'toy ? a\n', 1)
    // From here on the streams report swapped sides.
    send(1, 'toy = A\n', 2)
    expect([lines(), flipped]).toEqual([['a A'], 1])
  })

  it('stops after a malformed message, and keeps the calls before it', () => {
    send(0, 'toy ! a\ntoy x\ntoy ! b\n', 1)
    expect([lines(), loss.malformed_messages]).toEqual([['a -'], 1])
  })

  it('continues after a gap', () => {
    send(0, 'toy ? a\n', 1)
    followed.gap(0, 100, 2, false)
    send(0, '…toy ? b\n', 3)
    send(1, 'toy = A\n', 4)
    followed.close(5)
    expect(lines().toSorted()).toEqual(['a A', 'b - unfinished'])
  })
})
