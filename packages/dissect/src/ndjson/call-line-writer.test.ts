import { readdirSync, readFileSync } from 'node:fs'
import { CaptureReader, Malformed } from '@tapdeck/wire'
import { Conversation, feed, trials } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../call/engine-call.ts'
import { seeded } from '../conformance/replay.ts'
import type { Call } from '../contract/call.ts'
import { LINE } from '../contract/line-marks.ts'
import type { Message } from '../contract/message.ts'
import { Dissection } from '../dissection.ts'
import { protocolNamed } from '../protocols/index.ts'
import { CallLineWriter } from './call-line-writer.ts'
import { FlowLinePrefix } from './flow-line-prefix.ts'

/** How often each call is tried with other bytes, in CI and here. */
const ALL_ROUNDS = 12
const ROUNDS = trials(ALL_ROUNDS, 3)

const folder = new URL('../protocols/', import.meta.url)
const captures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.pcap'),
)

/** Protocols with a `write` method, whose output must equal that of `present`. */
const direct = ['http', 'redis', 'postgresql', 'mysql', 'dns']

const again = [
  ['req_headers', LINE.reqHeaders],
  ['resp_headers', LINE.respHeaders],
  ['req_body', LINE.reqBody],
  ['resp_body', LINE.respBody],
] as const

function callsIn(capture: string): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  const reader = new CaptureReader(dissection, {})
  reader.push(new Uint8Array(readFileSync(new URL(capture, folder))))
  reader.end()
  dissection.end()
  return calls
}

const lines = new CallLineWriter(100, 'n', 'file', { has_pcap: true })

/** The completed line of a call. */
function lineOf(call: Call): string {
  const { out, marks } = lines
  const { src, dst } = endsOf(call)
  const start = out.at
  const frame = new FlowLinePrefix(call.flow.id, src, dst)
  const written = [1, 2, 3].map(() => {
    lines.full(call, frame)
    const line = Buffer.from(out.bytes.subarray(start, out.at))
    out.at = start
    return line
  })
  // From the second line on, a flow uses its stored prefix.
  expect(written[1]!.equals(written[0]!) && written[2]!.equals(written[0]!)).toBe(true)
  return completed(written[0]!, marks)
}

function completed(written: Buffer, marks: Uint32Array): string {
  const middle = marks[LINE.middle]
  const twice = again.map(([name, mark]) =>
    marks[mark + 1] === 0 ? '' : `,"${name}":${written.toString('utf8', marks[mark], marks[mark + 1])}`,
  )
  return written.toString('utf8', 0, middle) + twice.join('') + written.toString('utf8', middle)
}

function endsOf({ flow, side }: Call) {
  return { src: flow.ends[side], dst: flow.ends[side === 0 ? 1 : 0] }
}

/** The record of the call, without what is known only after the flow ended. */
function recordOf(call: Call): string {
  const record = toCallRecord(call, endsOf(call), 'n', 'file', { has_pcap: true }).toJSON()
  return JSON.stringify({
    ...record,
    flow: undefined,
    delivery: undefined,
    tcp: call.protocol === 'tcp' ? record.tcp : undefined,
  })
}

describe('the line of a call equals its record', () => {
  it.each(captures)('in %s', (capture) => {
    for (const call of callsIn(capture)) expect(lineOf(call)).toBe(recordOf(call))
  })

  const asked = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\nHost: shop\r\n${fields}\r\n`
  const answered = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes'
  const command = (...words: string[]) =>
    `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
  const cases: Readonly<Record<string, readonly [asked: string, answered: string]>> = {
    'of a parameter that comes twice': [asked('/a?b=1&b=2'), answered],
    'of parameters that are numbers': [asked('/a?2=x&1=y'), answered],
    'of empty parameters': [asked('/a?&&=x&y&z='), answered],
    'of escaped parameters': [asked('/a?b=%20+%zz'), answered],
    'of fragments': [asked('/a?b=1#c'), answered],
    'of a fragment before the query': [asked('/a#c?b=1'), answered],
    'of an absolute target': [asked('http://x/a?b=1'), answered],
    'of quotes and backslashes': [asked('/"\\?"=\\', 'X: "\\"\r\n'), answered],
    'of a header that comes twice': [asked('/', 'A: 1\r\nB: 2\r\na: 3\r\n'), answered],
    'of a header that is a number': [asked('/', 'A: 1\r\n7: 2\r\n'), answered],
    'of a folded header': [asked('/', 'A: 1\r\n more\r\n'), answered],
    'of blanks around a value': [asked('/', 'A:  \t1 \r\nB:\r\nC: \r\n'), answered],
    'of cookies': [asked('/', 'Cookie: a=b; c="d"\r\n'), `HTTP/1.1 204 \r\nSet-Cookie: a=b; c\r\n\r\n`],
    'of a body that is no text': [asked('/'), 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\xff\x00!'],
    'of a body in UTF-8': [asked('/'), 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"\xc3\xa4\x1b\n'],
    'of a compressed body that is none': [
      asked('/'),
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nyes',
    ],
    'of a stream of events': [
      asked('/'),
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\ndata: a\n\n',
    ],
    'of an answer without a reason': [asked('/'), 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
    'of a missing answer': [asked('/'), ''],
    'of an unrecognised flow': ['\x01\x02\x03', ''],
    'of arguments with blanks': [command('SET', 'a key', '{"b": "\\"}'), '+OK\r\n'],
    'of an argument with an apostrophe': [command('SET', 'k', "it's"), '+OK\r\n'],
    'of an empty argument': [command('SET', '', 'x'), '-ERR "no"\r\n'],
    'of a long argument': [command('SET', 'k'.repeat(99), 'x'.repeat(300)), ':17\r\n'],
    'of one argument': [command('PING'), ':-0\r\n'],
    'of a key that is not ASCII': [command('GET', '\xc3\xa4'), '$-1\r\n'],
    'of an empty string': [command('GET', 'k'), '$0\r\n\r\n'],
    'of a string that is no text': [command('GET', 'k'), '$2\r\n\xff\x00\r\n'],
    'of a list': [command('LRANGE', 'k', '0', '1'), '*2\r\n$1\r\na\r\n:1\r\n'],
    'of an empty list': [command('LRANGE', 'k', '0', '1'), '*0\r\n'],
    'of a list with quotes and nothing': [command('MGET', 'k', 'l'), '*3\r\n$3\r\n"\\a\r\n$-1\r\n+OK\r\n'],
    'of a list in a list': [command('XRANGE', 'k', '-', '+'), '*1\r\n*1\r\n:1\r\n'],
    'of a number beyond all digits': [command('INCR', 'k'), ':9223372036854775807\r\n'],
  }
  it.each(Object.entries(cases))('%s', (_name, [question, answer]) => {
    const serverPort = question.startsWith('*') ? 6379 : 80
    const talk = new Conversation({ serverPort }).handshake().send(0, question)
    const calls: Call[] = []
    const dissection = new Dissection({ emit: (call) => calls.push(call) })
    feed(dissection, (answer === '' ? talk : talk.send(1, answer)).close().packets)
    dissection.end()
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(lineOf(call)).toBe(recordOf(call))
  })
})

describe.each(direct)('of %s', (protocol) => {
  const calls = captures
    .filter((name) => name.startsWith(`${protocol}/`) || (protocol === 'http' && name.startsWith('http2/')))
    .flatMap(callsIn)
    .filter((call) => call.protocol === protocol)
  const dissector = protocolNamed(protocol)

  it('most calls use the write method of the protocol', () => {
    const own = calls.filter((call) => dissector?.write?.(call, call.summary, lines))
    lines.out.at = 0
    expect(calls.length).toBeGreaterThan(5)
    expect(own.length).toBeGreaterThan(calls.length / 2)
  })

  it('the line equals the record for any bytes', () => {
    const random = seeded(7)
    let seen = 0
    for (const call of calls)
      for (let round = 0; round < ROUNDS; round++) {
        const { request, response } = call
        const odd = {
          ...call,
          ...(request && { request: mutated(request, random) }),
          ...(response && { response: mutated(response, random) }),
        }
        try {
          odd.summary = dissector!.summarize(odd)
          expect(lineOf(odd)).toBe(recordOf(odd))
          seen++
        } catch (error) {
          if (!(error instanceof Malformed)) throw error
          lines.out.at = 0
        }
      }
    expect(seen).toBeGreaterThan((calls.length * ROUNDS) / ALL_ROUNDS)
  })
})

const likely = [
  0x00, 0x09, 0x0a, 0x0d, 0x1b, 0x20, 0x22, 0x23, 0x25, 0x26, 0x2b, 0x30, 0x3a, 0x3f, 0x5c, 0x7f,
]

function mutated(message: Message, random: () => number): Message {
  const change = (bytes: Uint8Array): Uint8Array => {
    const copy = bytes.slice()
    for (let i = Math.floor(random() * 4); i > 0; i--)
      copy[Math.floor(random() * copy.length)] =
        random() < 0.7 ? likely[Math.floor(random() * likely.length)] : Math.floor(random() * 256)
    return random() < 0.1 ? copy.subarray(0, Math.floor(random() * copy.length)) : copy
  }
  return {
    ...message,
    ...(message.head && { head: change(message.head) }),
    ...(message.body && { body: change(message.body) }),
    ...(random() < 0.1 && { truncated: true }),
  }
}
