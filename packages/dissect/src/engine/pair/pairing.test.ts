import type { Loss } from '@tapdeck/wire'
import { beforeEach, describe, expect, it } from 'vitest'
import type { MissingMessage } from '../../contract/call.ts'
import { defaultLimits } from '../../contract/limits.ts'
import type { Message } from '../../contract/message.ts'
import { Budget } from '../../memory/budget.ts'
import { latin1 } from '../../text/text.ts'
import { Pairing, type PairingFlow } from './pairing.ts'
import { MESSAGE_OVERHEAD } from './pending-call.ts'

let emitted: string[]
let loss: Loss
let lastAnswer: number
let isAnswering: boolean
let isAnswerCaptured: boolean
let why: MissingMessage
let budget: Budget

const text = (message: Message | undefined) => (message?.body === undefined ? '-' : latin1(message.body))

function pairing(limits: Partial<typeof defaultLimits> = {}): Pairing {
  const flow: PairingFlow = {
    limits: { ...defaultLimits, ...limits },
    loss,
    budget,
    pair: (_, request, response, missing) => {
      const cut = request?.truncated || response?.truncated ? ' cut' : ''
      emitted.push(`${text(request)} ${text(response)}${cut}${missing === undefined ? '' : ` ${missing}`}`)
    },
    whyNoResponse: () => why,
    whyNoRequest: () => 'midstream',
    lastAnswer: () => lastAnswer,
    isAnswering: () => isAnswering,
    isAnswerCaptured: () => isAnswerCaptured,
  }
  return new Pairing(flow, 0)
}

interface Options {
  readonly key?: number | string
  readonly more?: boolean
  readonly at?: number
}

function message(kind: 'request' | 'response', body: string, { at = 0, ...rest }: Options): Message {
  return { kind, body: new TextEncoder().encode(body), start: at, end: at, ...rest }
}

const ask = (body: string, options: Options = {}) => message('request', body, options)
const answer = (body: string, options: Options = {}) => message('response', body, options)

beforeEach(() => {
  emitted = []
  loss = {}
  lastAnswer = 0
  isAnswering = false
  isAnswerCaptured = false
  why = 'no_response'
  budget = new Budget(1_000_000, loss)
})

describe('pairing', () => {
  it('is first in, first out without keys', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.request(ask('b'))
    pairs.response(answer('A'))
    pairs.response(answer('B'))
    expect(emitted).toEqual(['a A', 'b B'])
    expect(budget.used).toBe(0)
  })

  it('drops everything without emitting, and gives back what it had reserved', () => {
    const pairs = pairing()
    pairs.request(ask('a', { key: 1 }))
    pairs.request(ask('b'))
    pairs.responsesLost()
    pairs.response(answer('held'))
    expect(budget.used).toBeGreaterThan(3 * MESSAGE_OVERHEAD - 1)
    pairs.drop()
    expect([emitted, pairs.idle, budget.used]).toEqual([[], true, 0])
  })

  it('uses keys in any order', () => {
    const pairs = pairing()
    pairs.request(ask('a', { key: 1 }))
    pairs.request(ask('b', { key: 'two' }))
    pairs.response(answer('B', { key: 'two' }))
    pairs.response(answer('A', { key: 1 }))
    expect(emitted).toEqual(['b B', 'a A'])
  })

  it('pairs repeated requests with one key in order', () => {
    const pairs = pairing()
    pairs.request(ask('first', { key: 1 }))
    pairs.request(ask('again', { key: 1 }))
    pairs.response(answer('A', { key: 1 }))
    pairs.close()
    expect(emitted).toEqual(['first A', 'again - no_response'])
  })

  it('emits a response with an unknown key at once', () => {
    pairing().response(answer('A', { key: 1 }))
    expect(emitted).toEqual(['- A midstream'])
  })

  it('holds a response without a request until the reason is known', () => {
    const pairs = pairing()
    pairs.response(answer('A', { at: 5 }))
    expect(emitted).toEqual([])
    pairs.request(ask('b', { at: 9 }))
    expect(emitted).toEqual(['- A midstream'])
  })

  it('pairs a response that was captured before its request', () => {
    const pairs = pairing()
    pairs.response(answer('A', { at: 5 }))
    pairs.request(ask('a', { at: 4 }))
    expect(emitted).toEqual(['a A'])
  })

  it('joins the parts of a message', () => {
    const pairs = pairing()
    pairs.request(ask('a', { key: 1, more: true }))
    pairs.request(ask('aa', { key: 1 }))
    pairs.response(answer('A', { key: 1, more: true }))
    pairs.response(answer('B', { key: 1, more: true }))
    expect(emitted).toEqual([])
    pairs.response(answer('C', { key: 1 }))
    expect(emitted).toEqual(['aaa ABC'])
    expect(budget.used).toBe(0)
  })

  it('limits the size of a joined body', () => {
    const pairs = pairing({ body: 2 })
    pairs.request(ask('a'))
    pairs.response(answer('AB', { more: true }))
    pairs.response(answer('CD'))
    expect(emitted).toEqual(['a AB cut'])
  })

  it('waits for the end of a request with an early response', () => {
    const pairs = pairing()
    pairs.request(ask('up', { more: true }))
    pairs.response(answer('enough'))
    pairs.request(ask('load'))
    expect(emitted).toEqual(['upload enough'])
  })

  it('emits partial calls at the end', () => {
    const pairs = pairing()
    pairs.request(ask('up', { more: true }))
    pairs.response(answer('enough'))
    pairs.request(ask('b', { key: 1 }))
    pairs.response(answer('B', { key: 1, more: true }))
    pairs.request(ask('c', { key: 2 }))
    pairs.close()
    expect(emitted).toEqual(['up enough cut', 'b B cut', 'c - no_response'])
    expect(budget.used).toBe(0)
  })
})

describe('the timeout of a request', () => {
  it('starts with the last byte of the answering side', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    lastAnswer = 60
    pairs.expire(150)
    expect(emitted).toEqual([])
    pairs.expire(161)
    expect(emitted).toEqual(['a - no_response'])
  })

  it('emits a late response as a call of its own, and keeps the order', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    pairs.expire(500)
    pairs.response(answer('A', { at: 600 }))
    pairs.request(ask('b', { at: 700 }))
    pairs.response(answer('B', { at: 710 }))
    expect(emitted).toEqual(['a - no_response', 'a A', 'b B'])
  })

  it('does not apply to the oldest while its response pauses', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    pairs.request(ask('b', { at: 10 }))
    isAnswering = true
    pairs.expire(1000)
    expect(emitted).toEqual(['b - no_response'])
    pairs.response(answer('A', { at: 1100 }))
    expect(emitted).toEqual(['b - no_response', 'a A'])
  })

  it('applies only after a loss if losses would be noticed', () => {
    const pairs = pairing({ patience: 100 })
    isAnswerCaptured = true
    pairs.request(ask('a', { at: 10 }))
    pairs.request(ask('b', { key: 1, at: 20 }))
    pairs.expire(1000)
    expect(emitted).toEqual([])
    pairs.response(answer('A', { at: 1100 }))
    expect(emitted).toEqual(['a A'])
    why = 'gap'
    pairs.expire(1200)
    expect(emitted).toEqual(['a A', 'b - gap'])
  })

  it('does not apply while a response is coming', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { key: 1, at: 10 }))
    pairs.response(answer('A', { key: 1, more: true, at: 20 }))
    pairs.expire(1000)
    expect(emitted).toEqual([])
  })
})

describe('limits', () => {
  it('evict the oldest request', () => {
    const pairs = pairing({ waiting: 2 })
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    expect(emitted).toEqual(['a - no_response'])
    expect(loss.pending_overflow).toBe(1)
  })

  it('do not pair a response to an evicted request with the next one', () => {
    const pairs = pairing({ waiting: 2 })
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    for (const body of ['A', 'B', 'C']) pairs.response(answer(body))
    expect(emitted).toEqual(['a - no_response', 'b B', 'c C'])
  })

  it('drop bodies when memory is exhausted', () => {
    budget = new Budget(2 * MESSAGE_OVERHEAD + 4, loss)
    const pairs = pairing()
    pairs.request(ask('1234'))
    pairs.request(ask('5678'))
    pairs.close()
    expect(emitted).toEqual(['1234 - no_response', '- - cut no_response'])
    expect(loss.buffer_overflow).toBe(MESSAGE_OVERHEAD + 4)
    expect(budget.used).toBe(0)
  })

  it('evict the oldest request when memory is exhausted', () => {
    budget = new Budget(3 * MESSAGE_OVERHEAD, loss)
    const pairs = pairing()
    for (let i = 0; i < 100; i++) pairs.request(ask(''))
    expect(budget.used).toBeLessThanOrEqual(3 * MESSAGE_OVERHEAD)
    expect(loss.pending_overflow).toBeGreaterThan(90)
    pairs.close()
    expect([emitted.length, budget.used]).toEqual([100, 0])
  })

  it.each([
    ['in order', (i: number) => ({ request: {}, response: {}, answers: i })],
    [
      'by keys, the last first',
      (i: number) => ({ request: { key: i }, response: { key: 19_999 - i }, answers: 19_999 - i }),
    ],
  ])('leave room for twenty thousand requests under way, %s', (_, of) => {
    budget = new Budget(defaultLimits.total, loss)
    const pairs = pairing()
    for (let i = 0; i < 20_000; i++) pairs.request(ask(`${i}`, of(i).request))
    for (let i = 0; i < 20_000; i++) pairs.response(answer('ok', of(i).response))
    expect(emitted.map((line, i) => line === `${of(i).answers} ok`).every(Boolean)).toBe(true)
    expect([emitted.length, loss.pending_overflow, budget.used]).toEqual([20_000, undefined, 0])
  })

  it('also limit held responses after lost bytes', () => {
    budget = new Budget(defaultLimits.total, loss)
    const pairs = pairing()
    for (let i = 0; i < 20_000; i++) pairs.request(ask(`${i}`))
    pairs.responsesLost()
    for (let i = 1; i < 20_000; i++) pairs.response(answer(`${i}`))
    pairs.close()
    expect(emitted[0]).toBe('0 - no_response')
    expect(emitted.slice(1).every((line, i) => line === `${i + 1} ${i + 1}`)).toBe(true)
    expect([emitted.length, budget.used]).toEqual([20_000, 0])
  })
})

describe('after lost bytes', () => {
  it('the last responses of a turn answer its last requests', () => {
    const pairs = pairing()
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    pairs.response(answer('A'))
    pairs.responsesLost()
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(emitted).toEqual(['a A', 'b - no_response', 'c C'])
    pairs.response(answer('D'))
    expect(emitted.at(-1)).toBe('d D')
  })

  it('requests from before a loss of requests are certain', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.response(answer('A'))
    expect(emitted).toEqual(['a A'])
    pairs.response(answer('B'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(emitted).toEqual(['a A', '- B midstream', 'c C'])
  })

  it('a connection with overlapping requests is matched only after a silence', () => {
    const pairs = pairing({ waiting: 3 })
    pairs.request(ask('a', { at: 0 }))
    pairs.request(ask('b', { at: 1 }))
    pairs.response(answer('A', { at: 2 }))
    pairs.request(ask('c', { at: 3 }))
    pairs.response(answer('B', { at: 4 }))
    pairs.request(ask('d', { at: 5 }))
    pairs.responsesLost()
    pairs.response(answer('D', { at: 6 }))
    lastAnswer = 6
    pairs.request(ask('e', { at: 7 }))
    expect(emitted).toEqual(['a A', 'b B'])
    pairs.request(ask('f', { at: 8 }))
    expect(emitted.slice(2)).toEqual(['c - no_response', 'd - no_response', 'e - no_response', '- D gap'])
    pairs.request(ask('g', { at: 300_000 }))
    pairs.response(answer('G', { at: 300_001 }))
    pairs.close()
    expect(emitted.slice(6)).toEqual(['f - no_response', 'g G'])
  })

  it('of both sides, a response is not paired, because its request may be lost', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.responsesLost()
    pairs.response(answer('B'))
    pairs.requestsLost()
    expect(emitted).toEqual(['a - no_response', '- B midstream'])
    pairs.request(ask('c'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(emitted.slice(2)).toEqual(['c C'])
  })

  it('of both sides, requests after the loss are matched from the last one', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.responsesLost()
    pairs.response(answer('B'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(emitted).toEqual(['a - no_response', '- B midstream', 'c C'])
  })

  it('of requests, pending ones are still paired, also if calls overlap', () => {
    const pairs = pairing()
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    pairs.response(answer('A'))
    pairs.requestsLost()
    pairs.request(ask('e'))
    pairs.response(answer('B'))
    pairs.request(ask('f'))
    pairs.response(answer('C'))
    pairs.response(answer('D'))
    pairs.request(ask('g'))
    expect(emitted).toEqual(['a A', 'b B', 'c C'])
    for (const body of ['E', 'F', 'G']) pairs.response(answer(body))
    pairs.close()
    expect(emitted.slice(3)).toEqual(['- D midstream', 'e E', 'f F', 'g G'])
  })

  it('of requests that arrive late, they are paired with earlier responses', () => {
    const pairs = pairing()
    pairs.request(ask('a', { at: 10 }))
    pairs.response(answer('A', { at: 20 }))
    pairs.requestsLost()
    pairs.response(answer('B', { at: 40 }))
    pairs.request(ask('b', { at: 30 }))
    pairs.request(ask('c', { at: 50 }))
    pairs.response(answer('C', { at: 60 }))
    expect(emitted).toEqual(['a A', 'b B', 'c C'])
  })

  it('twice, responses between the losses are not paired', () => {
    const pairs = pairing()
    for (const body of ['a', 'b', 'c', 'd', 'e', 'f']) pairs.request(ask(body))
    pairs.response(answer('A'))
    pairs.responsesLost()
    pairs.response(answer('C'))
    pairs.responsesLost()
    pairs.response(answer('F'))
    pairs.request(ask('g'))
    expect(emitted).toEqual([
      'a A',
      'b - no_response',
      'c - no_response',
      'd - no_response',
      'e - no_response',
      '- C midstream',
      'f F',
    ])
  })

  it('twice, requests between the losses are not paired', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.requestsLost()
    pairs.request(ask('f'))
    for (const body of ['A', 'B', 'C', 'D', 'E', 'F']) pairs.response(answer(body))
    pairs.request(ask('g'))
    expect(emitted).toEqual([
      'a A',
      'c - no_response',
      '- B midstream',
      '- C midstream',
      '- D midstream',
      '- E midstream',
      'f F',
    ])
  })
})

describe('a response that ended before a request', () => {
  it('is not paired with it, and earlier calls are emitted separately', () => {
    const pairs = pairing()
    pairs.request(ask('b', { at: 20_000 }))
    pairs.response(answer('A', { at: 10_000 }))
    expect(emitted).toEqual([])
    pairs.close()
    expect(emitted).toEqual(['b - no_response', '- A midstream'])
  })

  it('is not paired with it when matching from the last one', () => {
    const pairs = pairing()
    for (const [i, body] of ['a', 'b', 'c'].entries()) pairs.request(ask(body, { at: i * 20_000 }))
    pairs.responsesLost()
    pairs.response(answer('B', { at: 30_000 }))
    pairs.close()
    expect(emitted).toEqual(['a - no_response', 'b - no_response', 'c - no_response', '- B midstream'])
  })

  it('is paired with it within the allowed clock difference', () => {
    const pairs = pairing()
    pairs.request(ask('a', { at: 500 }))
    pairs.response(answer('A', { at: 0 }))
    expect(emitted).toEqual(['a A'])
  })
})
