import type { Loss } from '@tapdeck/wire'
import { beforeEach, describe, expect, it } from 'vitest'
import { Budget } from '../budget.ts'
import type { MissingHalf } from '../call.ts'
import { defaultLimits } from '../limits.ts'
import type { Message } from '../message.ts'
import { latin1 } from '../text.ts'
import { Pairing, type PairingFlow } from './pairing.ts'
import { BURDEN } from './waiting.ts'

let told: string[]
let loss: Loss
let lastAnswer: number
let isAnswering: boolean
let isHeard: boolean
let why: MissingHalf
let budget: Budget

const text = (message: Message | undefined) => (message?.body === undefined ? '-' : latin1(message.body))

function pairing(limits: Partial<typeof defaultLimits> = {}): Pairing {
  const flow: PairingFlow = {
    limits: { ...defaultLimits, ...limits },
    loss,
    budget,
    pair: (_, request, response, missing) => {
      const cut = request?.truncated || response?.truncated ? ' cut' : ''
      told.push(`${text(request)} ${text(response)}${cut}${missing === undefined ? '' : ` ${missing}`}`)
    },
    whyNoResponse: () => why,
    whyNoRequest: () => 'midstream',
    lastAnswer: () => lastAnswer,
    isAnswering: () => isAnswering,
    isHeard: () => isHeard,
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
  told = []
  loss = {}
  lastAnswer = 0
  isAnswering = false
  isHeard = false
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
    expect(told).toEqual(['a A', 'b B'])
    expect(budget.used).toBe(0)
  })

  it('goes by key in any order', () => {
    const pairs = pairing()
    pairs.request(ask('a', { key: 1 }))
    pairs.request(ask('b', { key: 'two' }))
    pairs.response(answer('B', { key: 'two' }))
    pairs.response(answer('A', { key: 1 }))
    expect(told).toEqual(['b B', 'a A'])
  })

  it('takes repeated requests of one key in turn', () => {
    const pairs = pairing()
    pairs.request(ask('first', { key: 1 }))
    pairs.request(ask('again', { key: 1 }))
    pairs.response(answer('A', { key: 1 }))
    pairs.close()
    expect(told).toEqual(['first A', 'again - no_response'])
  })

  it('emits a response of an unknown key at once', () => {
    pairing().response(answer('A', { key: 1 }))
    expect(told).toEqual(['- A midstream'])
  })

  it('holds a response without a request until it is known why', () => {
    const pairs = pairing()
    pairs.response(answer('A', { at: 5 }))
    expect(told).toEqual([])
    pairs.request(ask('b', { at: 9 }))
    expect(told).toEqual(['- A midstream'])
  })

  it('mends a capture that tells of the response first', () => {
    const pairs = pairing()
    pairs.response(answer('A', { at: 5 }))
    pairs.request(ask('a', { at: 4 }))
    expect(told).toEqual(['a A'])
  })

  it('joins the parts of a half', () => {
    const pairs = pairing()
    pairs.request(ask('a', { key: 1, more: true }))
    pairs.request(ask('aa', { key: 1 }))
    pairs.response(answer('A', { key: 1, more: true }))
    pairs.response(answer('B', { key: 1, more: true }))
    expect(told).toEqual([])
    pairs.response(answer('C', { key: 1 }))
    expect(told).toEqual(['aaa ABC'])
    expect(budget.used).toBe(0)
  })

  it('joins no more of a body than the limit', () => {
    const pairs = pairing({ body: 2 })
    pairs.request(ask('a'))
    pairs.response(answer('AB', { more: true }))
    pairs.response(answer('CD'))
    expect(told).toEqual(['a AB cut'])
  })

  it('waits for the end of a request that was answered early', () => {
    const pairs = pairing()
    pairs.request(ask('up', { more: true }))
    pairs.response(answer('enough'))
    pairs.request(ask('load'))
    expect(told).toEqual(['upload enough'])
  })

  it('tells what there is at the end', () => {
    const pairs = pairing()
    pairs.request(ask('up', { more: true }))
    pairs.response(answer('enough'))
    pairs.request(ask('b', { key: 1 }))
    pairs.response(answer('B', { key: 1, more: true }))
    pairs.request(ask('c', { key: 2 }))
    pairs.close()
    expect(told).toEqual(['up enough cut', 'b B cut', 'c - no_response'])
    expect(budget.used).toBe(0)
  })
})

describe('patience', () => {
  it('ends after a silence of the answering side', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    lastAnswer = 60
    pairs.expire(150)
    expect(told).toEqual([])
    pairs.expire(161)
    expect(told).toEqual(['a - no_response'])
  })

  it('gives a late answer a call of its own, and keeps the order', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    pairs.expire(500)
    pairs.response(answer('A', { at: 600 }))
    pairs.request(ask('b', { at: 700 }))
    pairs.response(answer('B', { at: 710 }))
    expect(told).toEqual(['a - no_response', 'a A', 'b B'])
  })

  it('does not end for the oldest while a response has begun, however long it pauses', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { at: 10 }))
    pairs.request(ask('b', { at: 10 }))
    isAnswering = true
    pairs.expire(1000)
    expect(told).toEqual(['b - no_response'])
    pairs.response(answer('A', { at: 1100 }))
    expect(told).toEqual(['b - no_response', 'a A'])
  })

  it('does not end where nothing can be lost without a word, only where something was', () => {
    const pairs = pairing({ patience: 100 })
    isHeard = true
    pairs.request(ask('a', { at: 10 }))
    pairs.request(ask('b', { key: 1, at: 20 }))
    pairs.expire(1000)
    expect(told).toEqual([])
    pairs.response(answer('A', { at: 1100 }))
    expect(told).toEqual(['a A'])
    why = 'gap'
    pairs.expire(1200)
    expect(told).toEqual(['a A', 'b - gap'])
  })

  it('does not end while a response is coming', () => {
    const pairs = pairing({ patience: 100 })
    pairs.request(ask('a', { key: 1, at: 10 }))
    pairs.response(answer('A', { key: 1, more: true, at: 20 }))
    pairs.expire(1000)
    expect(told).toEqual([])
  })
})

describe('ceilings', () => {
  it('let the oldest request go', () => {
    const pairs = pairing({ waiting: 2 })
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    expect(told).toEqual(['a - no_response'])
    expect(loss.pending_overflow).toBe(1)
  })

  it('do not let its response answer the next', () => {
    const pairs = pairing({ waiting: 2 })
    for (const body of ['a', 'b', 'c']) pairs.request(ask(body))
    for (const body of ['A', 'B', 'C']) pairs.response(answer(body))
    expect(told).toEqual(['a - no_response', 'b B', 'c C'])
  })

  it('let bodies go where memory is short', () => {
    budget = new Budget(2 * BURDEN + 4, loss)
    const pairs = pairing()
    pairs.request(ask('1234'))
    pairs.request(ask('5678'))
    pairs.close()
    expect(told).toEqual(['1234 - no_response', '- - cut no_response'])
    expect(loss.buffer_overflow).toBe(BURDEN + 4)
    expect(budget.used).toBe(0)
  })

  it('let the oldest request go where there is no memory even for its name', () => {
    budget = new Budget(3 * BURDEN, loss)
    const pairs = pairing()
    for (let i = 0; i < 100; i++) pairs.request(ask(''))
    expect(budget.used).toBeLessThanOrEqual(3 * BURDEN)
    expect(loss.pending_overflow).toBeGreaterThan(90)
    pairs.close()
    expect([told.length, budget.used]).toEqual([100, 0])
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
    expect(told.map((line, i) => line === `${of(i).answers} ok`).every(Boolean)).toBe(true)
    expect([told.length, loss.pending_overflow, budget.used]).toEqual([20_000, undefined, 0])
  })

  it('leave room for as many responses after lost bytes', () => {
    budget = new Budget(defaultLimits.total, loss)
    const pairs = pairing()
    for (let i = 0; i < 20_000; i++) pairs.request(ask(`${i}`))
    pairs.responsesLost()
    for (let i = 1; i < 20_000; i++) pairs.response(answer(`${i}`))
    pairs.close()
    expect(told[0]).toBe('0 - no_response')
    expect(told.slice(1).every((line, i) => line === `${i + 1} ${i + 1}`)).toBe(true)
    expect([told.length, budget.used]).toEqual([20_000, 0])
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
    expect(told).toEqual(['a A', 'b - no_response', 'c C'])
    pairs.response(answer('D'))
    expect(told.at(-1)).toBe('d D')
  })

  it('requests from before a loss of requests are certain', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.response(answer('A'))
    expect(told).toEqual(['a A'])
    pairs.response(answer('B'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(told).toEqual(['a A', '- B midstream', 'c C'])
  })

  it('a connection that keeps requests under way is trusted only after a silence', () => {
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
    expect(told).toEqual(['a A', 'b B'])
    pairs.request(ask('f', { at: 8 }))
    expect(told.slice(2)).toEqual(['c - no_response', 'd - no_response', 'e - no_response', '- D gap'])
    pairs.request(ask('g', { at: 300_000 }))
    pairs.response(answer('G', { at: 300_001 }))
    pairs.close()
    expect(told.slice(6)).toEqual(['f - no_response', 'g G'])
  })

  it('of both sides, a response may be to a request that nobody saw, and is given to none', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.responsesLost()
    pairs.response(answer('B'))
    pairs.requestsLost()
    expect(told).toEqual(['a - no_response', '- B midstream'])
    pairs.request(ask('c'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(told.slice(2)).toEqual(['c C'])
  })

  it('of both sides, requests that came after theirs are matched from the end', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.responsesLost()
    pairs.response(answer('B'))
    pairs.response(answer('C'))
    pairs.request(ask('d'))
    expect(told).toEqual(['a - no_response', '- B midstream', 'c C'])
  })

  it('of requests, those that wait are answered all the same, also where requests and responses overlap', () => {
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
    expect(told).toEqual(['a A', 'b B', 'c C'])
    for (const body of ['E', 'F', 'G']) pairs.response(answer(body))
    pairs.close()
    expect(told.slice(3)).toEqual(['- D midstream', 'e E', 'f F', 'g G'])
  })

  it('of requests that came after all, and late, these are answered by what came before them', () => {
    const pairs = pairing()
    pairs.request(ask('a', { at: 10 }))
    pairs.response(answer('A', { at: 20 }))
    pairs.requestsLost()
    pairs.response(answer('B', { at: 40 }))
    pairs.request(ask('b', { at: 30 }))
    pairs.request(ask('c', { at: 50 }))
    pairs.response(answer('C', { at: 60 }))
    expect(told).toEqual(['a A', 'b B', 'c C'])
  })

  it('twice, responses between the two are nobody knows whose', () => {
    const pairs = pairing()
    for (const body of ['a', 'b', 'c', 'd', 'e', 'f']) pairs.request(ask(body))
    pairs.response(answer('A'))
    pairs.responsesLost()
    pairs.response(answer('C'))
    pairs.responsesLost()
    pairs.response(answer('F'))
    pairs.request(ask('g'))
    expect(told).toEqual([
      'a A',
      'b - no_response',
      'c - no_response',
      'd - no_response',
      'e - no_response',
      '- C midstream',
      'f F',
    ])
  })

  it('twice, requests between the two are answered by nobody knows what', () => {
    const pairs = pairing()
    pairs.request(ask('a'))
    pairs.requestsLost()
    pairs.request(ask('c'))
    pairs.requestsLost()
    pairs.request(ask('f'))
    for (const body of ['A', 'B', 'C', 'D', 'E', 'F']) pairs.response(answer(body))
    pairs.request(ask('g'))
    expect(told).toEqual([
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

describe('a response that was over before a request', () => {
  it('is none to it, whatever the count says, and what came before it is told apart', () => {
    const pairs = pairing()
    pairs.request(ask('b', { at: 20_000 }))
    pairs.response(answer('A', { at: 10_000 }))
    expect(told).toEqual([])
    pairs.close()
    expect(told).toEqual(['b - no_response', '- A midstream'])
  })

  it('is none to it where the count is made up from the end', () => {
    const pairs = pairing()
    for (const [i, body] of ['a', 'b', 'c'].entries()) pairs.request(ask(body, { at: i * 20_000 }))
    pairs.responsesLost()
    pairs.response(answer('B', { at: 30_000 }))
    pairs.close()
    expect(told).toEqual(['a - no_response', 'b - no_response', 'c - no_response', '- B midstream'])
  })

  it('answers it all the same where clocks may differ by as much', () => {
    const pairs = pairing()
    pairs.request(ask('a', { at: 500 }))
    pairs.response(answer('A', { at: 0 }))
    expect(told).toEqual(['a A'])
  })
})
