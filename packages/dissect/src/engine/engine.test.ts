import { type Loss, Malformed } from '@tapdeck/wire'
import {
  Conversation,
  type ConversationOptions,
  feed,
  type StreamEvent,
  udpFrame,
} from '@tapdeck/wire/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../conformance/fixture.ts'
import { observe } from '../conformance/observation.ts'
import { byteByByte } from '../conformance/replay.ts'
import { brittleToy, toy } from '../conformance/toy-protocol.ts'
import type { Call } from '../contract/call.ts'
import type { Dissector, Frame } from '../contract/dissector.ts'
import type { Message } from '../contract/message.ts'
import { Dissection, type DissectionOptions } from '../dissection.ts'
import { protocols } from '../protocols/index.ts'
import { latin1 } from '../text/text.ts'

const allProtocols = [toy, ...Object.values(protocols)]

interface Outcome {
  readonly calls: readonly Call[]
  readonly loss: Loss
  readonly faults: readonly unknown[]
  readonly flows: readonly (readonly string[])[]
  readonly dissection: Dissection
}

function dissect(talk: Pick<Conversation, 'packets'>, options: Partial<DissectionOptions> = {}): Outcome {
  const calls: Call[] = []
  const faults: unknown[] = []
  const flows: (readonly string[])[] = []
  const dissection = new Dissection({
    protocols: allProtocols,
    emit: (call) => calls.push(call),
    flow: (_, spoken) => flows.push(spoken),
    fault: (error) => faults.push(error),
    ...options,
  })
  feed(dissection, talk.packets)
  dissection.end()
  expect(dissection.engine.budget.used).toBe(0)
  return { calls, loss: dissection.loss, faults, flows, dissection }
}

function talk(options: ConversationOptions = {}): Conversation {
  return new Conversation({ serverPort: 7777, ...options }).handshake()
}

/** `request → response`, or what is missing. */
function lines(calls: readonly Call[]): string[] {
  return calls.map(({ protocol, request, response, missing, summary }) => {
    const text = (body: Uint8Array | undefined) => (body === undefined ? '' : latin1(body))
    const messages = [request && text(request.body), response && `→ ${text(response.body)}`]
    const said = [protocol, ...messages, missing ?? summary.failure].filter((part) => part !== undefined)
    return said.join(' ').replace(/\s+/g, ' ').trim()
  })
}

describe('protocol detection', () => {
  it('uses the content on any port', () => {
    const { calls, flows } = dissect(
      talk({ serverPort: 5432 }).send(0, 'toy ? a\n').send(1, 'toy = b\n').close(),
    )
    expect(lines(calls)).toEqual(['toy a → b'])
    expect(flows).toEqual([['toy']])
  })

  it('does not trust a port', () => {
    const { calls } = dissect(
      talk().send(0, 'GET / HTTP/1.1\r\n\r\n').send(1, 'HTTP/1.1 204 No Content\r\n\r\n').close(),
    )
    expect(calls.map(({ protocol }) => protocol)).toEqual(['http'])
  })

  it('detects a server that sends first', () => {
    const { calls } = dissect(
      talk().send(1, 'toy ! welcome\n').send(0, 'toy ? a\n').send(1, 'toy = b\n').close(),
    )
    expect(lines(calls)).toEqual(['toy welcome', 'toy a → b'])
    expect(calls[0].side).toBe(1)
  })

  it('waits for enough bytes', () => {
    const { calls } = dissect(talk({ segmentSize: 1 }).send(0, 'toy ? a\n').send(1, 'toy = b\n').close())
    expect(lines(calls)).toEqual(['toy a → b'])
  })

  it('emits an unrecognised flow with its first bytes', () => {
    const { calls, flows } = dissect(talk().send(0, 'what is this\n').send(1, 'who knows\n').close())
    expect(lines(calls)).toEqual(['tcp what is this → who knows'])
    expect(calls[0].summary).toEqual({})
    expect(flows).toEqual([[]])
  })

  it('emits a connection that was refused or reset', () => {
    const refused = new Conversation({ serverPort: 7777 }).segment(0, 2).segment(1, 4 | 16)
    expect(lines(dissect(refused).calls)).toEqual(['tcp refused'])
    expect(lines(dissect(talk().send(0, 'what?').reset(1)).calls)).toEqual(['tcp what? reset'])
  })

  it('emits nothing for a connection without payload', () => {
    expect(dissect(talk().close()).calls).toEqual([])
  })

  it('detects a connection that began before the capture', () => {
    const late = new Conversation({ serverPort: 7777 })
      .send(1, 'the end of something\n')
      .send(0, 'toy ? a\n')
      .send(1, 'toy = b\n')
      .send(0, 'toy ? c\n')
      .send(1, 'toy = d\n')
    expect(lines(dissect(late).calls)).toEqual(['toy a → b', 'toy c → d'])
  })

  it('swaps the sides of a flow whose client was guessed wrongly', () => {
    const turned = new Conversation({ clientPort: 80, serverPort: 50_000 })
      .send(0, 'toy = late\n')
      .send(1, 'toy ? a\n')
      .send(0, 'toy = b\n')
    const { calls } = dissect(turned)
    expect(lines(calls)).toEqual(['toy → late midstream', 'toy a → b'])
    expect(calls[1].side).toBe(0)
    expect(calls[1].flow.ends[0].port).toBe(50_000)
  })

  it('does not mistake a pushing server for the client', () => {
    const late = new Conversation({ serverPort: 7777 })
      .send(1, 'toy ! news\n')
      .send(0, 'toy ? a\n')
      .send(1, 'toy = b\n')
    const { calls } = dissect(late)
    expect(lines(calls)).toEqual(['toy news', 'toy a → b'])
    expect(calls.map(({ side }) => side)).toEqual([1, 0])
    expect(calls[1].flow.ends[1].port).toBe(7777)
  })
})

describe('a protocol that fails', () => {
  it('leaves its flow unrecognised, with the reason', () => {
    const { calls, loss } = dissect(talk().send(0, 'toy ? a\ntoy x\n').send(1, 'toy = b\n').close())
    expect(lines(calls)).toEqual(['tcp → malformed toy: no toy line'])
    expect(loss.malformed_messages).toBe(1)
  })

  it('keeps the calls emitted before', () => {
    const { calls } = dissect(
      talk().send(0, 'toy ? a\n').send(1, 'toy = b\n').send(0, 'toy ? c\ntoy x\n').close(),
    )
    expect(lines(calls)).toEqual(['toy a → b', 'toy c no_response'])
  })

  it('keeps the requests whose answer it cannot read', () => {
    const { calls, loss } = dissect(talk().send(0, 'toy ? a\ntoy ? b\n').send(1, 'SSH-2.0-x\r\n').close())
    expect(lines(calls)).toEqual(['toy a malformed_response', 'toy b malformed_response'])
    expect(loss.malformed_messages).toBe(1)
  })

  it('does not stop the engine, is counted and reported', () => {
    const { calls, faults, loss } = dissect(talk().send(0, 'toy throw\n').send(0, 'toy ? a\n').close())
    expect(lines(calls)).toEqual(['tcp malformed toy: fault'])
    expect(faults).toEqual([new TypeError('a mistake')])
    expect(loss.malformed_messages).toBe(1)
  })

  it('loses its flow after a frame with a negative length', () => {
    const broken = { ...toy, open: () => ({ frame: () => -1, decode: () => undefined }) }
    const { calls, faults } = dissect(talk().send(0, 'toy ? a\n'), { protocols: [broken] })
    expect(lines(calls)).toEqual(['tcp malformed toy: fault'])
    expect(faults).toHaveLength(1)
  })

  it('can fail at one datagram and read the next', () => {
    const datagram = (payload: string, time: number) => ({
      time,
      data: udpFrame({ src: '10.0.0.1', sport: 4000, dst: '10.0.0.2', dport: 7777, payload }),
    })
    const packets = [datagram('toy ! a\n', 1), datagram('toy x\n', 2), datagram('toy ! b\n', 3)]
    const { calls, loss } = dissect({ packets })
    expect(lines(calls)).toEqual(['toy a', 'toy b'])
    expect(loss.malformed_messages).toBe(1)
  })
})

describe('a flow of datagrams that do not depend on each other', () => {
  const datagram = (fromClient: boolean, payload: string, time: number, port = 4000) => ({
    time,
    data: fromClient
      ? udpFrame({ src: '10.0.0.1', sport: port, dst: '10.0.0.2', dport: 7777, payload })
      : udpFrame({ src: '10.0.0.2', sport: 7777, dst: '10.0.0.1', dport: port, payload }),
  })
  let opened = 0
  const plainToy: Dissector = {
    ...toy,
    open() {
      opened++
      return toy.open()
    },
    datagrams: () => read,
  }
  function read(frame: Frame): Message {
    const message = toy.open().decode(frame)
    if (message?.kind === 'request' || message?.kind === 'response' || message?.kind === 'event')
      return message
    throw new Malformed('no toy line')
  }
  const seen = ({ calls, flows, loss }: Outcome) => ({
    calls: lines(calls),
    places: calls.map(({ ordinal, side, start, end, request, response }) => [
      ordinal,
      side,
      start,
      end,
      request?.size,
      response?.size,
    ]),
    flows,
    loss,
  })

  it('needs no conversation while requests and responses alternate', () => {
    opened = 0
    const packets = [
      datagram(true, 'toy ?1 a\n', 1),
      datagram(false, 'toy =1 A\n', 2),
      datagram(true, 'toy ?2 b\n', 3),
      datagram(true, 'toy ?3 c\n', 4),
      datagram(false, 'toy =3 C\n', 5),
      datagram(false, 'toy =2 B\n', 6),
      datagram(true, 'toy ! d\n', 7),
    ]
    const { calls } = dissect({ packets }, { protocols: [plainToy] })
    expect(lines(calls)).toEqual(['toy a → A', 'toy c → C', 'toy b → B', 'toy d'])
    expect(opened).toBe(0)
  })

  it('continues its ordinals after each idle period', () => {
    const packets = Array.from({ length: 40 }, (_, i) =>
      datagram(i % 2 === 0, `toy ${i % 2 === 0 ? '?' : '='}1 a\n`, i + 1),
    )
    const { calls } = dissect({ packets }, { protocols: [plainToy] })
    expect(calls.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  it('is not confused with another flow at the same time', () => {
    const asked = fc.record({ port: fc.integer({ min: 4000, max: 4004 }), key: fc.constantFrom('1', '2') })
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 60 }), (list) => {
        const waiting = new Map<string, string>()
        const expected: string[] = []
        const packets = list.map(({ port, key }, time) => {
          const place = `${port} ${key}`
          const question = waiting.get(place)
          if (question === undefined) {
            waiting.set(place, `q${time}`)
            return datagram(true, `toy ?${key} q${time}\n`, time + 1, port)
          }
          waiting.delete(place)
          expected.push(`${port} ${question} a${time}`)
          return datagram(false, `toy =${key} a${time}\n`, time + 1, port)
        })
        const { calls } = dissect({ packets }, { protocols: [plainToy] })
        const answered = calls.filter(({ response }) => response !== undefined)
        const emitted = answered.map(
          ({ flow, summary }) => `${flow.ends[0].port} ${summary.path} ${summary.status}`,
        )
        expect(emitted).toEqual(expected)
        const places = new Set(calls.map(({ flow, ordinal }) => `${flow.id} ${ordinal}`))
        expect(places.size).toBe(calls.length)
      }),
      { numRuns: 200 },
    )
  })

  it('emits the same calls as a flow with a conversation, for any traffic', () => {
    const key = fc.constantFrom('1 a', '2 b', '3 c')
    const usual = fc.tuple(fc.boolean(), key).map(([asks, text]) => ({
      fromClient: asks,
      payload: `toy ${asks ? '?' : '='}${text}\n`,
      wait: 1,
    }))
    const odd = fc.record({
      fromClient: fc.boolean(),
      payload: fc.constantFrom('toy ?1 a\n', 'toy =1 a\n', 'toy ! f\n', 'toy x\n', 'what?\n'),
      wait: fc.constantFrom(1, 2_000_000, 70_000_000),
    })
    const said = fc.array(fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd }), {
      maxLength: 24,
    })
    fc.assert(
      fc.property(said, fc.constantFrom(500, 800, 100_000), (list, total) => {
        let time = 0
        const packets = list.map(({ fromClient, payload, wait }) => {
          time += wait
          return datagram(fromClient, payload, time)
        })
        const streamLimits = { udpIdle: 200_000_000, udpAnswered: 200_000_000 }
        const options = { limits: { total }, streamLimits }
        const kept = dissect({ packets }, { ...options, protocols: [toy] })
        expect(seen(dissect({ packets }, { ...options, protocols: [plainToy] }))).toEqual(seen(kept))
      }),
      { numRuns: 200 },
    )
  })
})

describe('time', () => {
  it('is that of the packets with the first and last byte', () => {
    const start = 1_700_000_000_000_000
    const slow = talk({ start, step: 0, segmentSize: 4 })
    slow.time = start + 1000
    slow
      .segment(0, 16, 'toy ')
      .wait(50)
      .segment(0, 16, '? a\n')
      .wait(500)
      .segment(1, 16, 'toy ')
      .wait(70)
      .segment(1, 16, '= b\n')
    const [call] = dissect(slow).calls
    expect(call.request).toMatchObject({ start: start + 1000, end: start + 1050, size: 8 })
    expect(call.response).toMatchObject({ start: start + 1550, end: start + 1620, size: 8 })
    expect(call).toMatchObject({ start: start + 1000, end: start + 1620 })
  })
})

describe('a handoff', () => {
  it('passes on the buffered bytes of both sides', () => {
    const { calls, flows } = dissect(
      talk()
        .send(0, 'toy ? a\n')
        .send(1, 'toy = b\n')
        .send(0, 'toy > http\nGET / HTTP/1.1\r\n\r\n')
        .send(1, 'HTTP/1.1 204 No\r\n\r\n')
        .close(),
    )
    expect(calls.map(({ protocol, summary }) => [protocol, summary.path])).toEqual([
      ['toy', 'a'],
      ['http', '/'],
    ])
    expect(flows).toEqual([['toy', 'http']])
  })

  it('restarts detection if the next protocol is unknown', () => {
    const { calls } = dissect(
      talk().send(0, 'toy > *\nGET / HTTP/1.1\r\n\r\n').send(1, 'HTTP/1.1 204 No\r\n\r\n').close(),
    )
    expect(calls.map(({ protocol }) => protocol)).toEqual(['http'])
  })

  it('stops at a protocol without a dissector', () => {
    const { calls, loss } = dissect(
      talk().send(0, 'toy ! a\ntoy > klingon\nqapla\n').send(1, 'qapla\n').close(),
    )
    expect(lines(calls)).toEqual(['toy a'])
    expect(loss).toEqual({})
  })
})

describe('limits', () => {
  it('keeps the beginning of a frame that is too long and skips the rest', () => {
    const upload = `POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(100_000)}GET /next HTTP/1.1\r\n\r\n`
    const { calls } = dissect(talk().send(0, upload).close(), { limits: { frame: 5000, body: 1000 } })
    expect(calls[0].request).toMatchObject({ bodySize: 100_000, truncated: true })
    expect(calls[0].request?.body).toHaveLength(1000)
    expect(calls[1].summary.path).toBe('/next')
  })

  it('fails a frame whose length stays unknown', () => {
    const { calls, loss } = dissect(
      talk()
        .send(0, `toy ? ${'x'.repeat(3000)}`)
        .close(),
      { limits: { frame: 2000 } },
    )
    expect(lines(calls)).toEqual(['tcp malformed toy: no end in sight'])
    expect(loss.malformed_messages).toBe(1)
  })

  it('stops probing after the limit', () => {
    const hesitant = { ...toy, probe: () => 'more' as const }
    const { calls } = dissect(talk().send(0, 'x'.repeat(3000)).close(), {
      protocols: [hesitant],
      limits: { probe: 1000 },
    })
    expect(calls[0]).toMatchObject({ protocol: 'tcp', request: { bodySize: 3000, truncated: true } })
  })

  it('apply to all connections together', () => {
    const many = Array.from({ length: 20 }, (_, i) =>
      talk({ clientPort: 5000 + i }).send(
        0,
        `POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(4000)}`,
      ),
    )
    let most = 0
    const packets = many.flatMap((one) => one.packets)
    const calls: Call[] = []
    const dissection = new Dissection({ emit: (call) => calls.push(call), limits: { total: 20_000 } })
    for (const packet of packets) {
      feed(dissection, [packet])
      most = Math.max(most, dissection.engine.budget.used)
    }
    dissection.end()
    expect(most).toBeGreaterThan(10_000)
    expect(most).toBeLessThanOrEqual(20_000)
    expect(calls).toHaveLength(20)
    expect(dissection.loss.buffer_overflow).toBeGreaterThan(0)
    expect(dissection.engine.budget.used).toBe(0)
  })
})

describe('emitted calls', () => {
  it('can be limited to some protocols without changing ordinals', () => {
    const mixed = talk()
      .send(0, 'toy ! a\ntoy > http\nGET / HTTP/1.1\r\n\r\n')
      .send(1, 'HTTP/1.1 204 No\r\n\r\n')
      .close()
    const { calls } = dissect(mixed, { enabled: ['http'] })
    expect(calls.map(({ protocol, ordinal }) => [protocol, ordinal])).toEqual([['http', 1]])
  })

  it('continue after a summary that throws', () => {
    const rude = {
      ...toy,
      summarize: () => {
        throw new TypeError('no summary')
      },
    }
    const { calls, faults } = dissect(talk().send(0, 'toy ! a\n').close(), { protocols: [rude] })
    expect(calls).toMatchObject([{ summary: {} }])
    expect(faults).toEqual([new TypeError('no summary')])
  })
})

describe('lost bytes', () => {
  const exchanges = (n: number) => {
    const long = talk({ step: 1000 })
    for (let i = 0; i < n; i++) long.send(0, `toy ? ask ${i}\n`).send(1, `toy = answer ${i}\n`)
    return long
  }
  /** Index of the request packet of exchange `i`. Three packets of handshake, then request, ACK, response, ACK. */
  const request = (i: number) => 3 + 4 * i
  const response = (i: number) => 5 + 4 * i

  it('affect only the calls next to a lost request', () => {
    const { calls } = dissect(exchanges(6).drop(request(2)).close())
    expect(lines(calls)).toEqual([
      'toy ask 0 → answer 0',
      'toy ask 1 → answer 1',
      'toy → answer 2 gap',
      'toy ask 3 → answer 3',
      'toy ask 4 → answer 4',
      'toy ask 5 → answer 5',
    ])
  })

  it('affect only the calls next to a lost response', () => {
    const { calls } = dissect(exchanges(6).drop(response(2)).close())
    expect(lines(calls).sort()).toEqual([
      'toy ask 0 → answer 0',
      'toy ask 1 → answer 1',
      'toy ask 2 gap',
      'toy ask 3 → answer 3',
      'toy ask 4 → answer 4',
      'toy ask 5 → answer 5',
    ])
  })

  it('do not mix up pipelined calls', () => {
    const batch = (from: number, mark: string) =>
      Array.from({ length: 5 }, (_, i) => `toy ${mark} ${from + i}\n`).join('')
    const batches = talk({ segmentSize: 16 })
    for (const from of [0, 5, 10]) batches.send(0, batch(from, '?')).send(1, batch(from, '='))
    for (let index = 3; index < batches.packets.length; index++) {
      const copy = { packets: batches.packets.toSpliced(index, 1) }
      for (const line of lines(dissect(copy).calls)) {
        const [, asked, answered] = /^toy (\d+) → (\d+)$/.exec(line) ?? []
        expect(asked).toBe(answered)
      }
    }
  })

  it('stop a protocol without resync', () => {
    const { calls } = dissect(exchanges(3).drop(request(1)).close(), { protocols: [brittleToy] })
    expect(lines(calls)).toEqual(['toy ask 0 → answer 0'])
  })

  it('are distinguished from a snap length', () => {
    const cut = talk()
      .send(0, 'toy ? a\n')
      .send(1, `toy = ${'b'.repeat(500)}\n`)
      .cut(100)
    expect(lines(dissect(cut).calls)).toEqual(['toy a truncated'])
  })

  it('inside of a body do not affect the next message', () => {
    const page = `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5000)}`
    const web = talk()
    for (let i = 0; i < 3; i++) web.send(0, `GET /${i} HTTP/1.1\r\n\r\n`).send(1, page)
    const { calls, loss } = dissect(web.drop(7).close())
    expect(calls.map(({ summary, response }) => [summary.path, response?.truncated ?? false])).toEqual([
      ['/0', true],
      ['/1', false],
      ['/2', false],
    ])
    expect(loss.resync_bytes ?? 0).toBe(0)
  })
})

describe('single bytes after a gap', () => {
  /** The toy protocol, counting the bytes it is asked to search. */
  function counting(): { readonly protocol: Dissector; readonly looked: () => number } {
    let looked = 0
    const open: Dissector['open'] = () => {
      const whole = toy.open()
      return {
        frame: (bytes, start, end) => whole.frame(bytes, start, end),
        decode: (frame) => whole.decode(frame),
        resync: (bytes, start, end, side) => {
          looked += end - start
          return whole.resync(bytes, start, end, side)
        },
      }
    }
    return { protocol: { ...toy, open }, looked: () => looked }
  }

  function drip(count: number, last: string) {
    const { protocol, looked } = counting()
    const whole = talk().send(0, 'toy ? a\n').send(1, 'toy = b\n').send(0, 'lost')
    whole.send(0, 'x'.repeat(count) + last).send(1, 'toy = d\n')
    const { events } = builtFixture('drip', new URL('file:///'), whole.close().packets)
    const caught = events.map((event): StreamEvent => {
      if (event.kind !== 'data' || latin1(event.bytes) !== 'lost') return event
      const { flow, side, time } = event
      return { kind: 'gap', flow, side, missing: 4, time, cut: false }
    })
    const { calls } = observe(caught, { cuts: byteByByte, protocols: [protocol] })
    const said = calls.map(({ path, status, error }) => [path, status, error].join(' ').trim())
    return { said, looked: looked() }
  }

  it('are not searched repeatedly', () => {
    const count = 10_000
    const { looked } = drip(count, '')
    expect(looked).toBeGreaterThan(count)
    expect(looked).toBeLessThan(64 * (count + 2048) + 128 * 1024)
  })

  it('still lead to the following calls', () => {
    expect(drip(300, '\ntoy ? c\n').said).toEqual(['a b', 'c d'])
    // Beyond that limit it may be found only at the end of the flow.
    expect(drip(3000, '\ntoy ? c\n').said.map((line) => line[0])).toContain('c')
  })
})
