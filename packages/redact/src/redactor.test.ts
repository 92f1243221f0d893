import { gzipSync } from 'node:zlib'
import { type Call, type Message, packExchange, protocolNamed } from '@tapdeck/dissect'
import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import { type RedactionRules, RuleError } from './redaction-rules.ts'
import { none } from './testing/no-rules.ts'

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
    [['pass'], `{"pass"${' '.repeat(40)}: "x"}`, `{"pass"${' '.repeat(40)}: "*"}`],
    [['pass'], '\ufeff{"pass":"x"}', '\ufeff{"pass":"*"}'],
    [
      ['pass'],
      'event: a\ndata: {"pass":"x"}\n\ndata: {"pass":"y"}\n\n',
      'event: a\ndata: {"pass":"*"}\n\ndata: {"pass":"*"}\n\n',
    ],
  ])('stars out %j in %s', (json, given, expected) => {
    expect(body(given, { json })).toBe(expected)
  })

  it.each([
    ['GET /a?user%5Bpassword%5D=abc&x=1 HTTP/1.1', ['user[password]'], 'user%5Bpassword%5D=***&x=1'],
    ["GET /a?token=it's&x=1 HTTP/1.1", ['token'], 'token=****&x=1'],
    ['GET /a?next=/b?token=abc HTTP/1.1', ['token'], 'next=/b?token=***'],
  ])('stars out the parameter in %s', (line, query, expected) => {
    const { request } = redacted({ query }, callOf('http', { head: bytes(`${line}\r\n\r\n`) }))
    expect(text(request, 'head')).toContain(expected)
  })

  it('masks the value at a path in the CONNECT options of a NATS client', () => {
    const call = callOf('nats', { head: bytes('CONNECT {"name":"joe","lang":"go"}\r\n') })
    const { request } = redacted({ json: ['name'] }, call)
    expect(text(request, 'head')).toBe('CONNECT {"name":"***","lang":"go"}\r\n')
  })

  it('masks the value at a path after the headers of NATS', () => {
    const call = callOf('nats', {
      head: bytes('HPUB a 25 40'),
      body: bytes('NATS/1.0\r\nId: {1}\r\n\r\n{"name":"joe"}'),
    })
    const { request } = redacted({ json: ['name'] }, call)
    expect(text(request, 'body')).toBe('NATS/1.0\r\nId: {1}\r\n\r\n{"name":"***"}')
  })

  it('keeps nothing of what the records of Kafka hold where a path is not to be kept, and counts them all the same', () => {
    const number = (value: number, size: number) => {
      const buffer = Buffer.alloc(size)
      buffer.writeIntBE(value, size - Math.min(size, 6), Math.min(size, 6))
      return buffer
    }
    const batch = (magic: number, content: string) => {
      const header = Buffer.alloc(magic < 2 ? 18 : 61)
      header.writeInt32BE(header.length - 12 + content.length, 8)
      header[16] = magic
      if (magic === 2) header.writeInt32BE(1, 57)
      return Buffer.concat([header, Buffer.from(content)])
    }
    const produce = (records: Buffer) =>
      Buffer.concat([
        ...[number(-1, 2), number(1, 2), number(1000, 4), number(1, 4), number(4, 2), Buffer.from('shop')],
        ...[number(1, 4), number(0, 4), number(records.length, 4), records],
      ])
    const records = Buffer.concat([batch(2, '{"password":"hunter2"}'), batch(1, 'k{"password":"hunter3"}')])
    const body = produce(records)
    const fields = { api: 0, version: 3 }
    const shown = (one: Call) =>
      protocolNamed('kafka')?.present({ protocol: 'kafka', request: one.request! }).request?.body
    for (const kept of [body.length, body.length - 5]) {
      const call = callOf('kafka', {
        head: new Uint8Array(0),
        body: new Uint8Array(body.subarray(0, kept)),
        fields,
      })
      const left = redacted({ json: ['**.password'] }, call)
      expect(Buffer.from(packExchange(left)).toString('latin1')).not.toMatch(/hunter/)
      expect(left.request?.body?.length).toBe(kept)
      expect(shown(left)).toBe(shown(call))
      expect(redacted({ detect: ['jwt'] }, call)).toBe(call)
    }
    expect(shown(callOf('kafka', { body: new Uint8Array(body), fields }))).toContain('"count":2')

    // Attributes, two differences, no key, a value of 14 bytes, no header fields.
    const record = Buffer.from([40, 0, 0, 0, 1, 28, ...Buffer.from('token=hunter2!'), 0])
    const packed = Buffer.concat([batch(2, ''), gzipSync(record)])
    packed.writeInt32BE(packed.length - 12, 8)
    packed[22] = 1
    const compressed = callOf('kafka', { body: new Uint8Array(produce(packed)), fields })
    expect(shown(compressed)).toContain('hunter2')
    for (const rules of [
      { detect: ['jwt'] },
      { patterns: ['hunter.'] },
      { json: ['**.password'] },
    ] as const) {
      const left = redacted(rules, compressed)
      expect(shown(left)).toContain('"count":1')
      expect(shown(left)).not.toContain('hunter2')
      expect(Buffer.from(left.request!.body!).includes(gzipSync(record))).toBe(false)
    }
  })

  it('masks the value at a path in MongoDB documents, which are shown as JSON', () => {
    const element = (type: number, name: string, value: Buffer) =>
      Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value])
    const int32 = (value: number) => Buffer.from(new Int32Array([value]).buffer)
    const string = (value: string) => Buffer.concat([int32(value.length + 1), Buffer.from(`${value}\0`)])
    const document = (...elements: Buffer[]) => {
      const all = Buffer.concat(elements)
      return Buffer.concat([int32(all.length + 5), all, Buffer.from([0])])
    }
    const user = document(
      element(2, 'name', string('joe')),
      element(2, 'password', string('hunter2')),
      element(3, 'deep', document(element(16, 'password', int32(4711)))),
    )
    const sequence = Buffer.concat([Buffer.from('documents\0'), user])
    const body = new Uint8Array(
      Buffer.concat([
        int32(0),
        Buffer.from([0]),
        document(element(2, 'insert', string('users'))),
        Buffer.from([1]),
        int32(sequence.length + 4),
        sequence,
      ]),
    )
    const call = callOf('mongodb', { head: new Uint8Array(16), body, fields: { opcode: 2013 } })
    const shownBody = (one: Call) =>
      protocolNamed('mongodb')?.present({ protocol: 'mongodb', request: one.request! }).request?.body
    expect(shownBody(call)).toBe(
      '{"insert":"users","documents":[{"name":"joe","password":"hunter2","deep":{"password":4711}}]}',
    )
    expect(shownBody(redacted({ json: ['documents[*].password'] }, call))).toBe(
      '{"insert":"users","documents":[{"name":"joe","password":"*******","deep":{"password":4711}}]}',
    )
    const all = shownBody(redacted({ json: ['**.password'] }, call))
    expect(all).toContain('"password":"*******"')
    expect(all).not.toContain('4711')
  })

  it.each([
    ['Authorization: Basic abc', 'Authorization: *********'],
    [`curl -H 'authorization: abc' -d x`, `curl -H 'authorization: ***' -d x`],
    ['-HAuthorization:abc', '-HAuthorization:***'],
    ['http://a/?token=abc&x=1', 'http://a/?token=***&x=1'],
    ['{"password":"abc"}', '{"password":"***"}'],
    ["select * from t where a = 'abc'", "select * from t where a = '***'"],
    ['--retries=42', '--retries=42'],
    ['Bearer abc', 'Bearer ***'],
  ])('stars out what an argument of a command holds: %s', (argument, expected) => {
    const redactor = createRedactor({
      ...none,
      headers: ['authorization'],
      query: ['token'],
      json: ['password'],
      detect: ['bearer'],
      sqlLiterals: true,
    })
    expect(redactor?.argument(argument)).toBe(expected)
  })

  it('masks the value at a path in a Redis value that is JSON', () => {
    const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`
    const set = (value: string) => `*3\r\n${bulk('SET')}${bulk('session:1')}${bulk(value)}`
    const given = callOf(
      'redis',
      { head: bytes(set('{"password":"abc","x":1}')) },
      { body: bytes(bulk('{"password":"abc"}')) },
    )
    const { request, response } = redacted({ json: ['password'] }, given)
    expect(text(request, 'head')).toBe(set('{"password":"***","x":1}'))
    expect(text(response, 'body')).toBe(bulk('{"password":"***"}'))
  })

  it('stars out a field of a form up to where the next one begins, whatever is in it', () => {
    expect(body(`user=a&password=p"'; <x> y&z=1`, { query: ['password'] })).toBe(
      'user=a&password=**********&z=1',
    )
    const part = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${value}\r\n`
    expect(body(`${part('user', 'a')}${part('Password', 'p\nq')}--b--`, { query: ['password'] })).toBe(
      `${part('user', 'a')}${part('Password', '***')}--b--`,
    )
  })

  it('finds escaped values in their decoded form', () => {
    const rules: Partial<RedactionRules> = {
      detect: ['card', 'bearer'],
      patterns: ['[a-z]+@[a-z.]+', 'Müller'],
    }
    const head = bytes(
      'GET /a?mail=joe%40example.com&t=Bearer+abc&n=M%C3%BCller HTTP/1.1\r\nx: Müller\r\n\r\n',
    )
    const given = callOf('http', { head, body: bytes('card=4111+1111+1111+1111&y=ü') })
    const { request } = redacted(rules, given)
    expect(text(request, 'head')).toBe(
      `GET /a?mail=${'*'.repeat(17)}&t=Bearer+***&n=${'*'.repeat(11)} HTTP/1.1\r\nx: *******\r\n\r\n`,
    )
    expect(text(request, 'body')).toBe(`card=${'*'.repeat(19)}&y=ü`)
    expect(body('{"name":"Anna Müller"}', rules)).toBe('{"name":"Anna *******"}')
  })

  it.each([
    [
      "select * from t where a = 'it''s' and b = 42 and c2 = $1",
      "select * from t where a = '*****' and b = ** and c2 = $1",
    ],
    ['insert into "t1" values ($$secret$$, -1.5e3)', 'insert into "t1" values ($$******$$, -*****)'],
    ["update t set a = 'open", "update t set a = '****"],
    ["select 'c:\\' , 'secret'", "select '***' , '******'"],
    ["select E'it\\'s' , 'secret'", "select E'*****' , '******'"],
    ["select 1 -- don't\n, 'secret'", "select * -- don'*\n, '******'"],
    ["/* it's 42 */ select 'secret'", "/* it'******/ select '******'"],
    ["select 'a', b -- /* 'x\n, 'secret' /* -- 7", "select '*', b -- /* '*\n, '******' /* -- *"],
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

  it('takes no longer than the statement is long, whatever marks it is made of', () => {
    for (const mark of ['/*', '--', "'", '$', '/*--', '#'])
      expect(
        redacted({ sqlLiterals: true }, callOf('mysql', { head: bytes(mark.repeat(30_000)) })).request?.head,
      ).toHaveLength(mark.length * 30_000)
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
