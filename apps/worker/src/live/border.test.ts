import type { Call } from '@tapdeck/dissect'
import { expect, test } from 'vitest'
import { Border } from './border.ts'

const client = { ip: '10.0.0.1', port: 4000 }
const server = { ip: '10.0.0.2', port: 80 }
const flow = { transport: 'tcp', ends: [client, server] } as unknown as Call['flow']
const request = { kind: 'request' } as const

/** As live indexing sees it. */
function answer(start: number, end = start, text = 'ok'): Call {
  const response = { kind: 'response', body: Buffer.from(text), start, end } as const
  return {
    ...{ flow, ordinal: end, protocol: 'http', side: 0, start, end, missing: 'midstream' },
    ...{ summary: { status: 200 }, response },
  }
}

/** As who reads the recording sees it. */
function whole(start: number, end = start): Call {
  return { ...answer(start, end), request, start: 0, missing: undefined }
}

function border() {
  const told: Call[] = []
  return { told, border: new Border((call) => told.push(call)) }
}

test('an answer waits, and is told as it was though the memory of its packets was used again', () => {
  const { told, border: one } = border()
  const call = answer(1, 1, 'hello')
  expect(one.take(call)).toBe(true)
  ;(call.response!.body as Uint8Array).fill(0)
  expect(told).toEqual([])
  one.read()
  expect(told).toMatchObject([{ flow, end: 1, missing: 'midstream', summary: { status: 200 } }])
  expect(Buffer.from(told[0]!.response!.body!).toString()).toBe('hello')
  one.read()
  expect(told).toHaveLength(1)
})

test('of answers in one packet, as many are left out as were told whole', () => {
  const { told, border: one } = border()
  for (const time of [1, 1, 1, 2]) one.take(answer(time))
  for (const time of [1, 1, 3]) one.told(whole(time))
  one.read()
  expect(told.map(({ end }) => end)).toEqual([1, 2])
})

test('an answer that live indexing brings late is known all the same, once', () => {
  const { told, border: one } = border()
  one.told(whole(1))
  one.read()
  expect(one.take(answer(1))).toBe(true)
  expect(one.take(answer(1))).toBe(false)
  expect(told).toEqual([])
})

test('an answer is known by its begin where the recording ends in it, and by its end where live indexing begins in it', () => {
  const { told, border: one } = border()
  one.take(answer(5, 9))
  one.told(whole(5, 7))
  one.take(answer(12, 15))
  one.told(whole(10, 15))
  // Its request took longer than its answer.
  one.take(answer(20))
  one.told({ ...whole(20), end: 25 })
  one.read()
  expect(told).toEqual([])
})

test('a call is known again though the flow is seen from its other side, and not on another connection', () => {
  const { told, border: one } = border()
  const turned = { ...flow, ends: [server, client] } as Call['flow']
  const other = { ...flow, ends: [{ ...client, port: 4001 }, server] } as Call['flow']
  one.take(answer(1))
  one.take({ ...answer(2), flow: other })
  one.told({ ...whole(1), side: 1, flow: turned })
  one.told(whole(2))
  one.read()
  expect(told).toMatchObject([{ flow: other, end: 2 }])
})

test('what has nothing to do with the border is told at once; so are answers when all is read', () => {
  const { border: one } = border()
  expect(one.take(whole(1))).toBe(false)
  expect(one.take({ ...answer(1), missing: 'gap' })).toBe(false)
  expect(one.take({ ...whole(1), response: undefined, missing: 'no_response' })).toBe(false)
  one.told({ ...whole(1), response: undefined, missing: 'no_response' })
  one.read()
  expect(one.take(answer(1))).toBe(false)
})

test('no more wait than there is room for', () => {
  const { told, border: one } = border()
  let kept = 0
  while (one.take(answer(kept, kept, 'x'.repeat(1000)))) kept++
  expect(kept).toBe(10_000)
  one.told(whole(20_000))
  one.read()
  expect(told.length).toBe(10_000)
  expect(one.take(answer(20_000))).toBe(false)

  const large = border().border
  for (kept = 0; large.take(answer(kept, kept, 'x'.repeat(1 << 20))); kept++);
  expect(kept).toBe(16)
})
