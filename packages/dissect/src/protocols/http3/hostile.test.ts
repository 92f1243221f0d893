import type { Side } from '@tapdeck/wire'
import { trials } from '@tapdeck/wire/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Connection } from '../../contract/dissector.ts'
import { defaultLimits } from '../../contract/limits.ts'
import type { Message } from '../../contract/message.ts'
import { copyOf } from '../../memory/arena.ts'
import { Budget } from '../../memory/budget.ts'
import { LineText } from '../http2/hpack/line-text.ts'
import { CHUNK, writeChunk } from '../quic/stream-chunk.ts'
import { Http3Conversation } from './parse.ts'

const KB = 1024
const [CONTROL, ENCODER] = [0, 2]

let budget: Budget
let http3: Http3Conversation
beforeEach(() => begin(defaultLimits.total))

function begin(total: number): void {
  budget = new Budget(total, {})
  const connection: Partial<Connection> = { budget, copy: copyOf, limits: defaultLimits }
  http3 = new Http3Conversation(connection as Connection)
}

function say(side: Side, id: number, bytes: Uint8Array | readonly number[], flags = 0): readonly Message[] {
  const chunk = writeChunk(id, flags, Uint8Array.from(bytes))
  const { length } = chunk
  const frame = { bytes: chunk, start: 0, end: length, length, unsent: 0, time: 1, endTime: 1 }
  const told = http3.decode(frame, side)
  return told === undefined ? [] : Array.isArray(told) ? told : [told as Message]
}

/** A frame of at most 16 KB - 1. */
const frame = (type: number, payload: Uint8Array | readonly number[]) => [
  type,
  0x40 | (payload.length >> 8),
  payload.length & 0xff,
  ...payload,
]
/** A section that waits for the first insertion, and then says GET. */
const WAITS = [2, 0, 0xc0 | 17]
/** The server lets the client insert 64 KB; the client does. */
function allowInsertions(): void {
  say(1, 3, [CONTROL, ...frame(4, [1, 0x80, 1, 0, 0])])
  say(0, 2, [ENCODER, 0x3f, 0xe1, 0xff, 0x03])
}

describe('hostile HTTP/3', () => {
  it('counts sections that wait for insertions in the budget, and releases them', () => {
    begin(100 * KB)
    allowInsertions()
    const section = new Uint8Array(16 * KB - 1).fill(0xc0 | 17)
    section.set(WAITS)
    for (let id = 0; id < 400; id += 4) say(0, id, frame(1, section))
    expect(budget.used).toBeGreaterThan(80 * KB)
    for (let id = 0; id < 400; id += 4) say(0, id, new Uint8Array(8), CHUNK.reset)
    expect(budget.used).toBeLessThan(16 * KB)
  })

  it('does not wait again and again on one stream', () => {
    allowInsertions()
    // Each section waits for one insertion more than that before it. All of them wait behind the first.
    const sections: number[] = []
    for (let i = 0; i < 200; i++) sections.push(...frame(1, [i + 2, 0, 0xc0 | 17]))
    say(0, 0, sections)
    const waiting = budget.used
    say(0, 2, [0xc0, 1, 0x61])
    say(0, 2, [0])
    say(0, 2, [0])
    say(0, 2, [0])
    expect(waiting).toBeGreaterThan(sections.length - 8)
    expect(budget.used).toBeLessThan(16 * KB)
    expect(say(0, 0, [], CHUNK.last)).toMatchObject([{ kind: 'request' }])
  })

  it('gives up a stream whose sections all wait in one go, however many they are', () => {
    allowInsertions()
    const sections: number[] = []
    for (let i = 0; i < 8000; i++) sections.push(...frame(1, [200, 0, 0xc0 | 17]))
    for (let i = 0; i < 8; i++) say(0, 0, sections)
    expect(budget.used).toBeLessThan(16 * KB)
    say(0, 0, [], CHUNK.last)
    expect(http3.finish(0)).toMatchObject({ kind: 'request' })
  })

  it('reads one encoder stream and one control stream of a side', () => {
    allowInsertions()
    // Another encoder would insert 1, and let the section go on.
    say(0, 6, [ENCODER, 0x3f, 0xe1, 0xff, 0x03, 0xc0, 1, 0x61])
    say(0, 0, frame(1, WAITS), CHUNK.last)
    expect(say(0, 10, [ENCODER, 0xc0, 1, 0x61])).toEqual([])
    expect(say(0, 2, [0xc0, 1, 0x61])).toMatchObject([{ kind: 'request' }])
  })

  it('forgets the oldest streams whose type is not there whole', () => {
    // The type of the first stream is cut after its first byte, and what follows is that of an encoder.
    say(1, 3, [CONTROL, ...frame(4, [1, 0x80, 1, 0, 0])])
    say(0, 2, [0x40])
    for (let i = 1; i <= defaultLimits.pending; i++) say(0, 2 + 4 * i, [0x40])
    say(0, 2, [ENCODER, 0x3f, 0xe1, 0xff, 0x03, 0xc0, 1, 0x61])
    say(0, 0, frame(1, WAITS), CHUNK.last)
    expect(
      say(0, 2 + 4 * defaultLimits.pending, [ENCODER, 0x3f, 0xe1, 0xff, 0x03, 0xc0, 1, 0x61]),
    ).toMatchObject([{ kind: 'request' }])
  })

  it('bounds what few bytes make it copy', () => {
    let copied = 0
    const { copy } = LineText.prototype
    vi.spyOn(LineText.prototype, 'copy').mockImplementation(function (this: LineText, ...given) {
      copied += given[2]
      copy.apply(this, given)
    })
    onTestFinished(() => void vi.restoreAllMocks())
    allowInsertions()
    // An entry whose name has 30 000 bytes, which are referred to in each way.
    const name = new Uint8Array(30_000).fill(0x61)
    const insert = [0x5f, 0x91, 0xea, 0x01, ...name, 0]
    say(0, 2, insert)
    say(0, 0, frame(1, [2, 0, ...new Uint8Array(16_000).fill(0x80)]))
    say(0, 4, frame(1, [2, 0, ...Array.from({ length: 8000 }, () => [0x40, 0]).flat()]))
    expect(copied).toBeLessThan(1024 * KB)
    say(0, 2, new Uint8Array(8000))
    expect(copied).toBeLessThan(8 * 1024 * KB)
  })

  it('survives any bytes on any stream', () => {
    let seed = 4711
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return (seed >> 8) % below
    }
    const ids = [0, 1, 2, 3, 4, 6, 7, 8, 2 ** 32, 2 ** 53, 2 ** 62]
    const starts = [
      [],
      [CONTROL],
      [ENCODER, 0x3f, 0xe1, 0xff, 0x03],
      [ENCODER, 0xc0, 1, 0x61, 0],
      frame(1, WAITS),
      frame(1, [3, 0x80, 0x80, 0x10, 0x50, 1, 0x2f]),
      frame(4, [1, 0x80, 1, 0, 0]),
      [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ]
    for (let round = trials(20_000, 300); round > 0; round--) {
      begin(random(2) === 0 ? 2 * KB : defaultLimits.total)
      if (random(2) === 0) allowInsertions()
      for (let chunks = 1 + random(40); chunks > 0; chunks--) {
        const bytes = [
          ...starts[random(starts.length)],
          ...Array.from({ length: random(24) }, () => random(256)),
        ]
        say(
          random(2) === 0 ? 0 : 1,
          ids[random(ids.length)],
          bytes,
          random(8) === 0 ? random(8) & ~CHUNK.reset : 0,
        )
      }
      http3.finish(0)
      http3.finish(1)
      expect(budget.used).toBeGreaterThanOrEqual(0)
    }
  })
})
