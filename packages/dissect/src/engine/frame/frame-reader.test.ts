import { type Loss, Malformed, type Side } from '@tapdeck/wire'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Conversation, type Frame, UNTIL_CLOSE } from '../../contract/dissector.ts'
import { defaultLimits } from '../../contract/limits.ts'
import type { Message } from '../../contract/message.ts'
import { ReusedFrame } from '../../contract/reused-frame.ts'
import { Budget } from '../../memory/budget.ts'
import { latin1 } from '../../text/text.ts'
import { DirectionBuffer } from './direction-buffer.ts'
import { type FramedFlow, FrameReader } from './frame-reader.ts'

const MAX_FRAME = 64
const utf8 = (text: string) => new TextEncoder().encode(text)

/** Frames of a digit for the length of a text, and the text: `3abc`. `!` is malformed, `*` lasts until the close. */
class Digits implements Conversation {
  readonly decoded: string[] = []
  /** The memory that frames were decoded in. */
  readonly memories: Uint8Array[] = []
  keep?: () => number
  resync? = (bytes: Uint8Array, start: number, end: number) => {
    const at = latin1(bytes, start, end).search(/\d/)
    return at < 0 ? -1 : start + at
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    if (start === end || bytes[start] === 0x2b) return 0
    return bytes[start] === 0x2a ? UNTIL_CLOSE : 1 + Number(latin1(bytes, start, start + 1))
  }

  decode({ bytes, start, end, length, unsent, time, endTime }: Frame, side: Side): Message | undefined {
    const text = latin1(bytes, start, end)
    if (text.includes('!')) throw new Malformed('no digits')
    this.memories.push(bytes)
    const missing = length > end - start ? ` of ${length}` : ''
    this.decoded.push(`${side} ${text}${missing}${unsent > 0 ? ` unsent ${unsent}` : ''} ${time}-${endTime}`)
    return { kind: 'event' }
  }

  lost(_side: Side, rest: Uint8Array): undefined {
    this.decoded.push(`lost ${latin1(rest)}`)
  }

  finish(_side: Side, rest: Uint8Array): undefined {
    this.decoded.push(`finish ${latin1(rest)}`)
  }
}

class Flow extends Budget implements FramedFlow {
  conversation: Conversation | undefined
  messages = 0
  losses = 0
  errors: unknown[] = []

  decoded(): void {
    this.messages++
  }

  lost(): void {
    this.losses++
  }

  failed(error: unknown): void {
    this.errors.push(error)
    this.conversation = undefined
  }
}

let loss: Loss
let flow: Flow
let digits: Digits
let direction: DirectionBuffer
let reader: FrameReader

beforeEach(() => {
  loss = {}
  flow = new Flow(1_000_000, loss)
  digits = new Digits()
  flow.conversation = digits
  direction = new DirectionBuffer()
  reader = new FrameReader({ ...defaultLimits, frame: MAX_FRAME }, loss, new ReusedFrame())
})

function read(text: string, time: number): number {
  const bytes = utf8(text)
  direction.last = time
  return reader.read(flow, direction, bytes, 0, bytes.length, time)
}

describe('frames', () => {
  it('within one packet are decoded in place', () => {
    const bytes = utf8('3abc1x')
    expect(reader.read(flow, direction, bytes, 0, bytes.length, 5)).toBe(6)
    expect(digits.decoded).toEqual(['0 3abc 5-5', '0 1x 5-5'])
    expect(digits.memories.every((memory) => memory === bytes)).toBe(true)
    expect([direction.isIdle, flow.used]).toEqual([false, 0])
  })

  it('that span packets are joined, with the times of the first and last', () => {
    read('5a', 1)
    read('bc', 2)
    read('de1x', 3)
    expect(digits.decoded).toEqual(['0 5abcde 1-3', '0 1x 3-3'])
    expect(flow.used).toBe(0)
  })

  it('of unknown length wait for more bytes', () => {
    read('+', 1)
    expect([digits.decoded, direction.held]).toEqual([[], 1])
  })

  it('fail if their length is still unknown at the limit', () => {
    read('+'.repeat(MAX_FRAME + 1), 1)
    expect(flow.errors).toEqual([new Malformed('no end in sight')])
  })

  it('over the limit are cut, and the next one is found', () => {
    reader = new FrameReader({ ...defaultLimits, frame: 4 }, loss, new ReusedFrame())
    read('9abc', 1)
    read('defghi1x', 2)
    expect(digits.decoded).toEqual(['0 9abc of 10 1-2', '0 1x 2-2'])
  })

  it('are buffered only as far as the conversation asks for', () => {
    digits.keep = () => 3
    read('9', 1)
    read('abcdefghi', 2)
    expect(digits.decoded).toEqual(['0 9ab of 10 1-2'])
  })

  it('with a negative length are an error other than Malformed', () => {
    digits.frame = () => -1
    read('3abc', 1)
    expect(flow.errors).toEqual([new RangeError('a frame of -1 bytes')])
  })

  it('that are malformed are reported to the flow', () => {
    read('3a!c', 1)
    expect(flow.errors).toEqual([new Malformed('no digits')])
  })

  it('are not read by a conversation that has been replaced', () => {
    flow.decoded = () => {
      flow.conversation = new Digits()
    }
    expect(read('1a1b', 1)).toBe(2)
    expect(digits.decoded).toEqual(['0 1a 1-1'])
  })
})

describe('lost bytes', () => {
  it('within a frame of known length leave the next frame where it is', () => {
    read('5a', 1)
    expect(reader.gap(flow, direction, 2, 2)).toBe(true)
    read('de1x', 3)
    expect(digits.decoded).toEqual(['0 5a of 6 1-3', '0 1x 3-3'])
  })

  it('beyond a frame start a search for the next one', () => {
    read('5a', 1)
    expect(reader.gap(flow, direction, 20, 2)).toBe(true)
    expect([digits.decoded, direction.sync]).toEqual([['0 5a of 6 1-2', 'lost '], 'searching'])
    read('??2xy', 3)
    expect(digits.decoded.slice(2)).toEqual(['0 2xy 3-3'])
    expect([direction.sync, loss.resync_bytes, flow.losses]).toEqual(['synced', 2, 1])
  })

  it('cannot be followed by a protocol without resync', () => {
    delete digits.resync
    expect(reader.gap(flow, direction, 20, 2)).toBe(false)
    expect(direction.sync).toBe('searching')
  })

  it('may lead to a wrong frame, which does not disprove the protocol', () => {
    reader.gap(flow, direction, 20, 2)
    read('2a!1x', 3)
    expect([flow.errors, direction.sync]).toEqual([[], 'searching'])
    read('1y', 4)
    expect(digits.decoded.at(-1)).toBe('0 1y 4-4')
  })

  it('are searched a limited number of times if single bytes follow', () => {
    let searched = 0
    digits.resync = (_bytes, start, end) => {
      searched += end - start
      return -1
    }
    reader = new FrameReader(defaultLimits, loss, new ReusedFrame())
    reader.gap(flow, direction, 20, 2)
    const bytes = 5000
    for (let i = 0; i < bytes; i++) read('?', 3)
    expect(searched).toBeLessThan(64 * bytes + 70_000)
    expect(direction.gapState?.searchPending).toBe(true)
  })
})

describe('the end of a direction', () => {
  it('delivers an incomplete frame and how much of it was never sent', () => {
    read('5abc', 1)
    reader.finish(flow, direction)
    expect(digits.decoded).toEqual(['0 5abc of 6 unsent 2 1-1', 'finish '])
  })

  it('completes a frame that lasts until the close', () => {
    read('*abc', 1)
    read('def', 2)
    reader.finish(flow, direction)
    expect(digits.decoded).toEqual(['0 *abcdef 1-2', 'finish '])
  })

  it('hands over the bytes of a frame of unknown length', () => {
    read('+abc', 1)
    reader.finish(flow, direction)
    expect(digits.decoded).toEqual(['finish +abc'])
  })

  it('does not disprove the protocol by an incomplete frame', () => {
    read('5a!', 1)
    reader.finish(flow, direction)
    expect([flow.errors, direction.sync]).toEqual([[], 'ignored'])
  })
})
