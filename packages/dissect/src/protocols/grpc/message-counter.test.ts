import { describe, expect, it } from 'vitest'
import { MessageCounter } from './message-counter.ts'

/** Messages of 0, 300 and 2 bytes, the last a trailer of gRPC-Web. */
const body = Uint8Array.from([
  ...[0, 0, 0, 0, 0],
  ...[1, 0, 0, 1, 44, ...new Array<number>(300).fill(7)],
  ...[0x80, 0, 0, 0, 2, 1, 1],
])

describe('messages are counted', () => {
  it('wherever the frames are cut', () => {
    for (let size = 1; size <= body.length; size++) {
      const counter = new MessageCounter()
      for (let at = 0; at < body.length; at += size) counter.feed(body, at, Math.min(body.length, at + size))
      expect([counter.count, counter.lost]).toEqual([2, false])
    }
  })

  it('across bytes that are missing inside a message', () => {
    const counter = new MessageCounter()
    counter.feed(body, 0, 20, 200)
    counter.feed(body, 200, body.length)
    expect([counter.count, counter.lost]).toEqual([2, false])
  })

  it('as far as is certain where the next could have begun unseen', () => {
    const counter = new MessageCounter()
    counter.feed(body, 0, 20, body.length)
    counter.feed(body, 0, 10)
    expect([counter.count, counter.lost]).toEqual([2, true])
  })
})
