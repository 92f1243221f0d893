import { gzipSync } from 'node:zlib'
import { type Call, type Message, packExchange, protocolNamed } from '@tapdeck/dissect'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { type RedactionRules, RuleError } from './redaction-rules.ts'

const none: RedactionRules = {
  headers: [],
  query: [],
  json: [],
  sqlLiterals: false,
  detect: [],
  patterns: [],
  bodies: false,
}
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'))
const text = (message: Message | undefined, part: 'head' | 'body') =>
  Buffer.from(message?.[part] ?? []).toString('utf8')

function callOf(protocol: string, request: Partial<Message>, response?: Partial<Message>): Call {
  const halves = {
    request: { kind: 'request', ...request },
    ...(response && { response: { kind: 'response', ...response } }),
  }
  return { protocol, ...halves, summary: {}, ordinal: 0, side: 0, start: 0, end: 0 } as unknown as Call
}

function redacted(rules: Partial<RedactionRules>, call: Call): Call {
  return createRedactor({ ...none, ...rules })!.call(call)
}

const body = (json: string, rules: Partial<RedactionRules>) =>
  text(
    redacted(rules, callOf('http', { head: bytes('POST / HTTP/1.1\r\n\r\n'), body: bytes(json) })).request,
    'body',
  )

describe('redaction', () => {
  it('is nothing at all without rules', () => {
    expect(createRedactor(none)).toBeUndefined()
    expect(createRedactor(undefined)).toBeUndefined()
  })

  it('leaves a call alone that holds nothing of the kind', () => {
    const call = callOf('http', { head: bytes('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), body: bytes('{"a":1}') })
    expect(redacted({ headers: ['cookie'], json: ['b'], detect: ['card', 'jwt'] }, call)).toBe(call)
  })

  it('stars out headers by name in any case, continued lines included, and keeps every length', () => {
    const head = 'GET / HTTP/1.1\r\nAUTHORIZATION: Basic c2VjcmV0\r\n more\r\nHost: a\r\n\r\n'
    const { request } = redacted({ headers: ['authorization'] }, callOf('http', { head: bytes(head) }))
    expect(text(request, 'head')).toBe(
      'GET / HTTP/1.1\r\nAUTHORIZATION: **************\r\n*****\r\nHost: a\r\n\r\n',
    )
  })

  it('stars out query and form parameters', () => {
    const call = callOf('http', {
      head: bytes('GET /a?Token=abc&x=1&token=def HTTP/1.1\r\nReferer: http://b/?token=ghi\r\n\r\n'),
      body: bytes('token=jkl&y=2'),
    })
    const { request } = redacted({ query: ['token'] }, call)
    expect(text(request, 'head')).toBe(
      'GET /a?Token=***&x=1&token=*** HTTP/1.1\r\nReferer: http://b/?token=***\r\n\r\n',
    )
    expect(text(request, 'body')).toBe('token=***&y=2')
  })

  it.each([
    [
      ['user.password'],
      '{"user":{"password":"a\\"b","name":"n"}}',
      '{"user":{"password":"****","name":"n"}}',
    ],
    [['**.token'], '{"a":[{"token":"x"},{"b":{"token":12}}]}', '{"a":[{"token":"*"},{"b":{"token":**}}]}'],
    [
      ['items[*].card'],
      '{"items":[{"card":"1"},{"card":"2","x":"3"}]}',
      '{"items":[{"card":"*"},{"card":"*","x":"3"}]}',
    ],
    [['items[1]'], '{"items":["a","b","c"]}', '{"items":["a","*","c"]}'],
    [['secret'], '{"secret":{"all":["of","it"]},"rest":1}', '{"secret":{"all":["**","**"]},"rest":1}'],
    [['a["b.c"]'], '{"a":{"b.c":"x"}}', '{"a":{"b.c":"*"}}'],
    [['[*].p'], '[{"p":true},{"q":false}]', '[{"p":****},{"q":false}]'],
    [['pass'], '{"pass":"cut of', '{"pass":"******'],
    [['pass'], '{"pass" : "x"}', '{"pass" : "*"}'],
  ])('stars out %j in %s', (json, given, expected) => {
    expect(body(given, { json })).toBe(expected)
  })

  it.each([
    [
      "select * from t where a = 'it''s' and b = 42 and c2 = $1",
      "select * from t where a = '*****' and b = ** and c2 = $1",
    ],
    ['insert into "t1" values ($$secret$$, -1.5e3)', 'insert into "t1" values ($$******$$, -*****)'],
    ["update t set a = 'open", "update t set a = '****"],
  ])('stars out the literals of %s', (given, expected) => {
    const call = callOf('postgresql', {
      head: bytes(given),
      body: bytes('bound'),
      fields: { command: 'Query' },
    })
    const { request, summary } = redacted({ sqlLiterals: true }, call)
    expect(text(request, 'head')).toBe(expected)
    expect(summary.path).toBe(expected)
    expect(request?.body).toBeUndefined()
  })

  it('finds card numbers by their check digit, tokens and patterns anywhere', () => {
    const rules: Partial<RedactionRules> = { detect: ['card', 'bearer', 'jwt'], patterns: ['sk_[a-z]+'] }
    expect(body('4111 1111 1111 1111 and 4111111111111112', rules)).toBe(
      '******************* and 4111111111111112',
    )
    expect(body('card:5500005555555559;', rules)).toBe('card:****************;')
    expect(body('x Bearer abc.def-1 y', rules)).toBe('x Bearer ********* y')
    expect(body('"eyJhbGciOi.eyJzdWIiOiI.sig_-9"', rules)).toBe('"*****************************"')
    expect(body('key sk_live!', rules)).toBe('key *******!')
    const redis = callOf('redis', { head: bytes('*2\r\n$3\r\nGET\r\n$7\r\nsk_live\r\n') })
    expect(text(redacted(rules, redis).request, 'head')).toBe('*2\r\n$3\r\nGET\r\n$7\r\n*******\r\n')
  })

  it('looks into compressed bodies, and keeps none that it cannot look into', () => {
    const head = bytes('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
    const zipped = { head, body: new Uint8Array(gzipSync('{"password":"hunter2"}')) }
    const { response } = redacted({ json: ['password'] }, callOf('http', {}, zipped))
    expect(protocolNamed('http')?.present({ protocol: 'http', response: response! }).response).toMatchObject({
      body: '{"password":"*******"}',
      headers: { 'x-tapdeck-unpacked': 'gzip' },
    })
    const broken = redacted(
      { json: ['password'] },
      callOf('http', {}, { head, body: bytes('no gzip at all') }),
    )
    expect(broken.response?.body).toBeUndefined()
  })

  it('can leave out all bodies, and says how large they were', () => {
    const { request } = redacted(
      { bodies: true },
      callOf('http', { head: bytes('POST / HTTP/1.1\r\n\r\n'), body: bytes('abc') }),
    )
    expect([request?.body, request?.bodySize]).toEqual([undefined, 3])
  })

  it('leaves no trace in what goes to disk: head, body, fields and key', () => {
    const call = callOf(
      'http',
      { head: bytes('GET /sk_abc HTTP/1.1\r\n\r\n'), body: bytes('sk_abc'), key: 'sk_abc' },
      { fields: { trailers: 'x: sk_abc', deep: [{ a: 'sk_abc' }] } },
    )
    const packed = (one: Call) => Buffer.from(packExchange(one)).toString('latin1')
    expect(packed(call)).toContain('sk_abc')
    const after = redacted({ patterns: ['sk_[a-z]+'] }, call)
    expect(packed(after)).not.toContain('sk_abc')
    expect(after.summary.path).toBe('/******')
  })

  it.each([[{ patterns: ['('] }], [{ json: ['a..b'] }], [{ json: ['**'] }], [{ json: [''] }]])(
    'refuses a rule that cannot be followed: %j',
    (rules) => {
      expect(() => createRedactor({ ...none, ...rules })).toThrow(RuleError)
    },
  )
})

describe('a call as it is shown to a role', () => {
  const shown = (rules: Partial<RedactionRules>, call: object) =>
    createRedactor({ ...none, ...rules })!.presented(call)

  it('has its headers, query, cookies and bodies redacted', () => {
    const call = {
      proto: 'http',
      path: '/sk_a',
      request: {
        headers: { Cookie: 'a=b', host: 'h' },
        cookies: { a: 'b' },
        query: { token: 't' },
        body: '{"p":"q"}',
      },
      req_body: '{"p":"q"}',
    }
    expect(
      shown({ headers: ['cookie'], query: ['token'], json: ['p'], patterns: ['sk_[a-z]+'] }, call),
    ).toEqual({
      proto: 'http',
      path: '/****',
      request: {
        headers: { Cookie: '***', host: 'h' },
        cookies: { a: '*' },
        query: { token: '*' },
        body: '{"p":"*"}',
      },
      req_body: '{"p":"*"}',
    })
    expect(shown({ bodies: true }, call)).toEqual({
      ...call,
      request: { ...call.request, body: undefined },
      req_body: undefined,
    })
  })

  it('has the literals of its statement redacted', () => {
    const call = {
      proto: 'mysql',
      path: 'select "x"',
      request: { parameters: ['y'] },
      mysql: { statement: "select 'x'" },
    }
    expect(shown({ sqlLiterals: true }, call)).toEqual({
      proto: 'mysql',
      path: 'select "*"',
      request: {},
      mysql: { statement: "select '*'" },
    })
  })
})
