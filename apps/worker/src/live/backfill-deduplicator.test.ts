import type { Call } from '@tapdeck/dissect'
import { expect, test } from 'vitest'
import { BackfillDeduplicator } from './backfill-deduplicator.ts'

const client = { ip: '10.0.0.1', port: 4000 }
const server = { ip: '10.0.0.2', port: 80 }
const flow = { transport: 'tcp', ends: [client, server] } as unknown as Call['flow']
const request = { kind: 'request' } as const

/** A call as live indexing sees it: the response only. */
function answer(start: number, end = start, text = 'ok'): Call {
  const response = { kind: 'response', body: Buffer.from(text), start, end } as const
  return {
    ...{ flow, ordinal: end, protocol: 'http', side: 0, start, end, missing: 'midstream' },
    ...{ summary: { status: 200 }, response },
  }
}

/** The same call as the backfill sees it. */
function whole(start: number, end = start): Call {
  return { ...answer(start, end), request, start: 0, missing: undefined }
}

function create() {
  const emitted: Call[] = []
  return { emitted, deduplicator: new BackfillDeduplicator((call) => emitted.push(call)) }
}

test('a held response is emitted unchanged although the memory of its packets was reused', () => {
  const { emitted, deduplicator } = create()
  const call = answer(1, 1, 'hello')
  expect(deduplicator.hold(call)).toBe(true)
  ;(call.response!.body as Uint8Array).fill(0)
  expect(emitted).toEqual([])
  deduplicator.finish()
  expect(emitted).toMatchObject([{ flow, end: 1, missing: 'midstream', summary: { status: 200 } }])
  expect(Buffer.from(emitted[0]!.response!.body!).toString()).toBe('hello')
  deduplicator.finish()
  expect(emitted).toHaveLength(1)
})

test('of several responses in one packet, as many are dropped as the backfill indexed', () => {
  const { emitted, deduplicator } = create()
  for (const time of [1, 1, 1, 2]) deduplicator.hold(answer(time))
  for (const time of [1, 1, 3]) deduplicator.indexed(whole(time))
  deduplicator.finish()
  expect(emitted.map(({ end }) => end)).toEqual([1, 2])
})

test('a response that live indexing sees after the backfill is dropped once', () => {
  const { emitted, deduplicator } = create()
  deduplicator.indexed(whole(1))
  deduplicator.finish()
  expect(deduplicator.hold(answer(1))).toBe(true)
  expect(deduplicator.hold(answer(1))).toBe(false)
  expect(emitted).toEqual([])
})

test('a response is matched by its start where the recording ends in it, and by its end where live indexing begins in it', () => {
  const { emitted, deduplicator } = create()
  deduplicator.hold(answer(5, 9))
  deduplicator.indexed(whole(5, 7))
  deduplicator.hold(answer(12, 15))
  deduplicator.indexed(whole(10, 15))
  // Its request ended after its response.
  deduplicator.hold(answer(20))
  deduplicator.indexed({ ...whole(20), end: 25 })
  deduplicator.finish()
  expect(emitted).toEqual([])
})

test('a call is matched although the flow is seen from its other side, and not on another connection', () => {
  const { emitted, deduplicator } = create()
  const turned = { ...flow, ends: [server, client] } as Call['flow']
  const other = { ...flow, ends: [{ ...client, port: 4001 }, server] } as Call['flow']
  deduplicator.hold(answer(1))
  deduplicator.hold({ ...answer(2), flow: other })
  deduplicator.indexed({ ...whole(1), side: 1, flow: turned })
  deduplicator.indexed(whole(2))
  deduplicator.finish()
  expect(emitted).toMatchObject([{ flow: other, end: 2 }])
})

test('whole calls are not held; nor are responses after the backfill', () => {
  const { deduplicator } = create()
  expect(deduplicator.hold(whole(1))).toBe(false)
  expect(deduplicator.hold({ ...answer(1), missing: 'gap' })).toBe(false)
  expect(deduplicator.hold({ ...whole(1), response: undefined, missing: 'no_response' })).toBe(false)
  deduplicator.indexed({ ...whole(1), response: undefined, missing: 'no_response' })
  deduplicator.finish()
  expect(deduplicator.hold(answer(1))).toBe(false)
})

test('the number and the bytes of held responses are bounded', () => {
  const { emitted, deduplicator } = create()
  let kept = 0
  while (deduplicator.hold(answer(kept, kept, 'x'.repeat(1000)))) kept++
  expect(kept).toBe(10_000)
  deduplicator.indexed(whole(20_000))
  deduplicator.finish()
  expect(emitted.length).toBe(10_000)
  expect(deduplicator.hold(answer(20_000))).toBe(false)

  const large = create().deduplicator
  for (kept = 0; large.hold(answer(kept, kept, 'x'.repeat(1 << 20))); kept++);
  expect(kept).toBe(16)
})
