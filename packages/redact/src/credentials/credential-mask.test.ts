import { type Call, type Message, packExchange, protocolNamed } from '@tapdeck/dissect'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../create-redactor.ts'
import type { RedactionRules } from '../redaction-rules.ts'
import { none } from '../testing/no-rules.ts'

const SECRET = 'n33dle-s3cret'
const KEY = new Uint8Array(32).fill(7)
/** `S` alone, and not the letter of a name. */
const PLACEHOLDER = /(?<![\w-])S(?![\w-])|(?<=%(?:25)?3D)S/g
const HASH = /masked-[0-9a-f]{12}/

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const headOf = (message: Message | undefined) => Buffer.from(message?.head ?? []).toString('latin1')

function callOf(protocol: string, request: Partial<Message>, response?: Partial<Message>): Call {
  const messages = {
    request: { kind: 'request', ...request },
    ...(response && { response: { kind: 'response', ...response } }),
  }
  return { protocol, ...messages, summary: {}, ordinal: 0, side: 0, start: 0, end: 0 } as unknown as Call
}

function masked(call: Call, rules: Partial<RedactionRules> = {}): Call {
  const redactor = createRedactor({ ...none, credentials: 'mask', ...rules })!
  redactor.setKey(KEY)
  return redactor.call(call)
}

const requestHead = (lines: string) => `GET / HTTP/1.1\r\n${lines}\r\n\r\n`
/** The head of a request with these lines, after it was masked. */
const shownHead = (lines: string) => {
  const head = headOf(masked(callOf('http', { head: bytes(requestHead(lines)) })).request)
  return head.slice(requestHead('').length - 4, -4)
}
const starless = (text: string) => text.replaceAll(new RegExp(HASH, 'g'), '#')

describe('credentials in header fields', () => {
  it.each([
    ['Authorization: Bearer S', 'Authorization: Bearer #'],
    ['authorization: Basic S', 'authorization: Basic #'],
    ['AUTHORIZATION:S', 'AUTHORIZATION:#'],
    ['Authorization: S with blanks', 'Authorization: #'],
    ['Authorization : Bearer S', 'Authorization : Bearer #'],
    ['Authorization: Bearer\r\n S', 'Authorization: Bearer #'],
    ['Proxy-Authorization: Basic S', 'Proxy-Authorization: Basic #'],
    ['Cookie: a=S; b="S"; c=', 'Cookie: a=#; b="#"; c='],
    ['Cookie: S', 'Cookie: #'],
    ['Set-Cookie: a=S; Path=/; HttpOnly', 'Set-Cookie: a=#; Path=/; HttpOnly'],
    ['X-Api-Key: S', 'X-Api-Key: #'],
    ['api-key: S', 'api-key: #'],
    ['apikey: S', 'apikey: #'],
    ['X-Auth-Token: S', 'X-Auth-Token: #'],
    ['X-Auth-Key: S', 'X-Auth-Key: #'],
    ['X-Amz-Security-Token: S', 'X-Amz-Security-Token: #'],
    ['X-Goog-Api-Key: S', 'X-Goog-Api-Key: #'],
    ['X-CSRF-Token: S', 'X-CSRF-Token: #'],
    ['X-XSRF-TOKEN: S', 'X-XSRF-TOKEN: #'],
    ['X-Vault-Token: S', 'X-Vault-Token: #'],
    ['Private-Token: S', 'Private-Token: #'],
    ['X-Shop-Access-Token: S', 'X-Shop-Access-Token: #'],
    ['Ocp-Apim-Subscription-Key: S', 'Ocp-Apim-Subscription-Key: #'],
    ['X-Functions-Key: S', 'X-Functions-Key: #'],
    ['X-Hub-Signature-256: S', 'X-Hub-Signature-256: #'],
    ['X-Client-Secret: S', 'X-Client-Secret: #'],
    ['X-Password: S', 'X-Password: #'],
    ['Referer: https://a/b?page=2&access_token=S#x', 'Referer: https://a/b?page=2&access_token=##x'],
    ['Location: https://joe:S@a/b', 'Location: https://joe:#@a/b'],
    [
      'Authorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=S',
      'Authorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=#',
    ],
    [
      'Authorization: Digest username="joe", realm="r", cnonce="S", response="S"',
      'Authorization: Digest username="joe", realm="r", cnonce="#", response="#"',
    ],
    ['Authorization: AWS AKID:S', 'Authorization: AWS AKID:#'],
    ['Authorization: SharedKey account:S', 'Authorization: SharedKey account:#'],
    ['X-Amz-Server-Side-Encryption-Customer-Key: S', 'X-Amz-Server-Side-Encryption-Customer-Key: #'],
    ['DD-APPLICATION-KEY: S', 'DD-APPLICATION-KEY: #'],
    ['X-Session: S', 'X-Session: #'],
    ['X-Proxy: http://joe:S@h:80', 'X-Proxy: http://joe:#@h:80'],
    ['Via: a@b http://joe:x@S@h', 'Via: a@b http://joe:#@h'],
    [
      'Location: https://a/b#access_token=S&token_type=bearer',
      'Location: https://a/b#access_token=#&token_type=bearer',
    ],
    ['Location: /in?next=%2Fa%3Ftoken%3DS%26b%3D1&c=2', 'Location: /in?next=%2Fa%3Ftoken%3D#%26b%3D1&c=2'],
    [
      'Referer: /a?u=https%253A%252F%252Fh%253Fsig%253DS',
      'Referer: /a?u=https%253A%252F%252Fh%253Fsig%253D#',
    ],
    ['Referer: https://a/b;jsessionid=S?page=1', 'Referer: https://a/b;jsessionid=#?page=1'],
    ['Referer: /a?token="S"&b=1', 'Referer: /a?token="#"&b=1'],
    ['Referer: /a?b="&token=S', 'Referer: /a?b="&token=#'],
    ['Referer: /a?token=S;more;and&b=1', 'Referer: /a?token=#&b=1'],
    [
      `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.S, v4.channel.k8s.io`,
      'Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.#, v4.channel.k8s.io',
    ],
    ['Accept: a\r\nAuthorization: Bearer S\r\nHost: b', 'Accept: a\r\nAuthorization: Bearer #\r\nHost: b'],
  ])('%s is shown as %s', (given, expected) => {
    expect(starless(shownHead(given.replaceAll(PLACEHOLDER, SECRET)))).toBe(expected)
  })

  it.each([
    'Host: token.example',
    'Accept: text/html;q=0.9',
    'Access-Control-Allow-Credentials: true',
    'Sec-WebSocket-Key: abc',
    'X-RateLimit-Tokens: 5',
    ':authority: shop',
    'X-Next-Token: 4',
    'User-Agent: a/1 (key=value)',
    'User-Agent: a/1 (+https://a/b joe@a)',
    'Sec-WebSocket-Protocol: v4.channel.k8s.io',
    'Idempotency-Key: 1',
    'Location: /a#part',
    'Link: </a?u=%2Fb%3Fc%3D1>',
    'X-Request-Id: 1',
  ])('%s stays', (line) => {
    const call = callOf('http', { head: bytes(requestHead(line)) })
    expect(masked(call)).toBe(call)
  })
})

it('takes a time that grows with a header field only, whatever it is made of', () => {
  const many = 500_000
  for (const line of [
    `x-api-key: a${' '.repeat(many)}b`,
    `Location: /${'?'.repeat(many)}`,
    `Location: /?token=a${';'.repeat(many)}=`,
    `Location: /?${'%3fa'.repeat(many / 4)}%3d`,
    `Via: ${'@'.repeat(many)}`,
    `Via: ${'://a:'.repeat(many / 5)}@`,
  ])
    expect(shownHead(line)).toContain(line.slice(0, 5))
})

describe('a masked value', () => {
  const hashIn = (lines: string) => HASH.exec(shownHead(lines))?.[0]

  it('is the same for the same value, wherever it is, and another one for another', () => {
    expect(hashIn(`Authorization: Bearer ${SECRET}`)).toBe(hashIn(`Cookie: a=${SECRET}`))
    expect(hashIn(`x-api-key: ${SECRET}`)).toBe(hashIn(`Referer: http://a/?api_key=${SECRET}`))
    expect(hashIn(`x-api-key: ${SECRET}`)).not.toBe(hashIn(`x-api-key: ${SECRET}2`))
  })

  it('is the same however an address, a cookie or a protocol writes it', () => {
    const value = 'ab+c/=='
    const one = hashIn(`Authorization: Bearer ${value}`)
    for (const line of [
      'Referer: /a?token=ab%2Bc%2f%3D%3d',
      'Referer: /a?token=ab+c/==',
      'Referer: /a?next=%2Fb%3Ftoken%3Dab%252Bc%252F%253D%253D',
      'Referer: https://joe:ab%2bc%2F%3d%3d@a/',
      `Cookie: a="${value}"`,
      `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.${Buffer.from(value).toString('base64url')}`,
    ])
      expect([line, hashIn(line)]).toEqual([line, one])
    const form = masked(callOf('http', { body: bytes('flag&token=ab%2Bc%2F%3D%3D') }))
    expect(Buffer.from(form.request!.body!).toString()).toBe(`flag&token=${one}`)
  })

  it('has another hash under another key, and none without a key', () => {
    const call = callOf('http', { head: bytes(requestHead(`x-api-key: ${SECRET}`)) })
    const redactor = createRedactor({ ...none, credentials: 'mask' })!
    expect(headOf(redactor.call(call).request)).toContain('x-api-key: masked\r\n')
    redactor.setKey(KEY)
    const one = headOf(redactor.call(call).request)
    redactor.setKey(new Uint8Array(32).fill(8))
    const other = headOf(redactor.call(call).request)
    expect([one, other]).toEqual([expect.stringMatching(HASH), expect.stringMatching(HASH)])
    expect(one).not.toBe(other)
  })

  it('stays where nothing is to be masked', () => {
    expect(createRedactor({ ...none, credentials: 'keep' })).toBeUndefined()
  })

  it('is hidden from rules that would find the credential, and starred out by a rule for its header', () => {
    const head = bytes(requestHead(`Authorization: Bearer ${SECRET}`))
    const { request } = masked(callOf('http', { head }), { headers: ['authorization'] })
    expect(headOf(request)).toBe(
      requestHead(`Authorization: ${'*'.repeat('Bearer masked-0123456789ab'.length)}`),
    )
  })
})

describe('the call', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwt = `${part({ alg: 'RS256', kid: 'key-1' })}.${part({ iss: 'https://login', sub: SECRET, iat: 1_700_000_000, nbf: 1_700_000_001, exp: 1_700_003_600.5 })}.${SECRET}`
  const present = (call: Call) => protocolNamed('http')!.present({ ...call, protocol: 'http' })

  it('says when a token was issued and expires, and by which key, but not what it is', () => {
    const head = requestHead(`Authorization: Bearer ${jwt}`)
    const { request } = present(masked(callOf('http', { head: bytes(head) })))
    expect(request).toMatchObject({
      headers: { authorization: expect.stringMatching(/^Bearer masked-[0-9a-f]{12}$/) },
      headers_size: head.length,
      credential: {
        hash: expect.stringMatching(HASH),
        scheme: 'Bearer',
        key_id: 'key-1',
        issuer: 'https://login',
        issued_at: 1_700_000_000_000,
        not_before: 1_700_000_001_000,
        expires_at: 1_700_003_600_500,
      },
    })
    expect(JSON.stringify(request)).not.toContain(SECRET)
  })

  it('names the access key of a signature', () => {
    const head = requestHead(
      `Authorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=${SECRET}`,
    )
    const { request } = present(masked(callOf('http', { head: bytes(head) })))
    expect(request?.credential).toMatchObject({ key_id: 'AKID', scheme: 'AWS4-HMAC-SHA256' })
  })

  it.each([
    'key',
    'api_key',
    'apikey',
    'access_token',
    'token',
    'auth',
    'X-Amz-Signature',
    'X-Amz-Security-Token',
    'X-Goog-Signature',
    'sig',
    'password',
    'pwd',
    'client_secret',
    'user%5Bpassword%5D',
    'user[pass]',
    'db_pwd',
    'license_key',
    'session',
    'p%61ssword',
    'sid',
  ])('has no value of the parameter %s', (name) => {
    const head = `GET /a/b?page=2&${name}=${SECRET}&z=1 HTTP/1.1\r\nHost: a\r\n\r\n`
    const body = `a=1&${name}=${SECRET}`
    const call = masked(callOf('http', { head: bytes(head), body: bytes(body) }))
    expect(Buffer.from(packExchange(call)).includes(SECRET)).toBe(false)
    expect(starless(headOf(call.request))).toBe(head.replace(SECRET, '#'))
    expect(starless(Buffer.from(call.request!.body!).toString())).toBe(body.replace(SECRET, '#'))
  })

  it('keeps what presigned addresses and pages have besides', () => {
    const head = bytes(
      'GET /a?X-Amz-Credential=AKID&X-Amz-Expires=60&page_token=3&id=7&keyword=a HTTP/1.1\r\nHost: a\r\n\r\n',
    )
    const call = callOf('http', { head })
    expect(masked(call)).toBe(call)
  })

  it.each([
    'GET /token:check HTTP/1.1',
    'GET /oauth/token?redirect=http://a/b HTTP/1.1',
    'CONNECT secrets.example:443 HTTP/1.1',
  ])('keeps the start line %s, which is no field', (line) => {
    const { request } = masked(callOf('http', { head: bytes(`${line}\r\nCookie: a=${SECRET}\r\n\r\n`) }))
    expect(headOf(request).split('\r\n')[0]).toBe(line)
  })

  it('is summarized anew where its path changed', () => {
    const head = `GET /a;jsessionid=${SECRET} HTTP/1.1\r\nHost: a\r\n\r\n`
    const { summary } = masked(callOf('http', { head: bytes(head) }))
    expect(summary.path).toMatch(/^\/a;jsessionid=masked-/)
  })

  it('has no credential in its trailers, in the headers of NATS, and in the address of a WebSocket', () => {
    const trailers = masked(callOf('grpc', {}, { fields: { trailers: `x-auth-token: ${SECRET}\r\n` } }))
    const fields = `NATS/1.0\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`
    const nats = masked(
      callOf('nats', {
        head: bytes(`HPUB a ${fields.length} ${fields.length + 2}\r\n`),
        body: bytes(`${fields}hi`),
      }),
    )
    const websocket = masked(callOf('websocket', { fields: { path: `/ws?token=${SECRET}`, opcode: 'text' } }))
    for (const call of [trailers, nats, websocket])
      expect(Buffer.from(packExchange(call)).includes(SECRET)).toBe(false)
    expect(protocolNamed('nats')!.present(nats).request).toMatchObject({
      headers: { authorization: expect.stringMatching(/^Bearer masked-/) },
      body: 'hi',
      body_size: 2,
    })
  })
})

describe('passwords in statements', () => {
  it.each([
    ["ALTER USER joe PASSWORD 'S'", "ALTER USER joe PASSWORD '#'"],
    [
      "create role joe with login encrypted password 'S'",
      "create role joe with login encrypted password '#'",
    ],
    [
      "CREATE ROLE joe WITH PASSWORD = 'S' AND LOGIN = true",
      "CREATE ROLE joe WITH PASSWORD = '#' AND LOGIN = true",
    ],
    ["CREATE USER 'joe'@'%' IDENTIFIED BY 'S'", "CREATE USER 'joe'@'%' IDENTIFIED BY '#'"],
    [
      "ALTER USER joe IDENTIFIED WITH caching_sha2_password BY 'S' REPLACE 'S'",
      "ALTER USER joe IDENTIFIED WITH caching_sha2_password BY '#' REPLACE '#'",
    ],
    [
      "GRANT ALL ON *.* TO joe IDENTIFIED BY PASSWORD 'S'",
      "GRANT ALL ON *.* TO joe IDENTIFIED BY PASSWORD '#'",
    ],
    ["SET PASSWORD FOR 'joe'@'h' = 'S'", "SET PASSWORD FOR 'joe'@'h' = '#'"],
    ["SET PASSWORD = PASSWORD('S')", "SET PASSWORD = PASSWORD('#')"],
    [
      "CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = 'S'",
      "CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = '#'",
    ],
    ['SELECT 1; ALTER USER joe PASSWORD $$S$$', 'SELECT 1; ALTER USER joe PASSWORD $$#$$'],
    ["ALTER USER joe PASSWORD 'S", "ALTER USER joe PASSWORD '#"],
    [
      "CREATE SUBSCRIPTION s CONNECTION 'host=a password=S dbname=b' PUBLICATION p",
      "CREATE SUBSCRIPTION s CONNECTION 'host=a password=# dbname=b' PUBLICATION p",
    ],
    ["SELECT dblink_connect('postgres://joe:S@a/b')", "SELECT dblink_connect('postgres://joe:#@a/b')"],
    [
      "CREATE USER MAPPING FOR joe SERVER s OPTIONS (user 'u', password 'S')",
      "CREATE USER MAPPING FOR joe SERVER s OPTIONS (user 'u', password '#')",
    ],
    ["ALTER USER joe PASSWORD E'S'", "ALTER USER joe PASSWORD E'#'"],
    ["ALTER USER joe PASSWORD U&'S'", "ALTER USER joe PASSWORD U&'#'"],
    ["ALTER USER joe PASSWORD /* new */ 'S'", "ALTER USER joe PASSWORD /* new */ '#'"],
    ["ALTER USER joe PASSWORD -- new\n'S'", "ALTER USER joe PASSWORD -- new\n'#'"],
    [
      "ALTER USER 'joe'@'%' IDENTIFIED WITH 'mysql_native_password' BY 'S'",
      "ALTER USER 'joe'@'%' IDENTIFIED WITH 'mysql_native_password' BY '#'",
    ],
    ["SELECT login('joe', pwd => 'S')", "SELECT login('joe', pwd => '#')"],
    ["SELECT * FROM users WHERE password = 'S'", "SELECT * FROM users WHERE password = '#'"],
  ])('%s is shown as %s', (given, expected) => {
    const statement = given.replace(/\bS\b/g, SECRET)
    for (const protocol of ['postgresql', 'mysql', 'cassandra']) {
      const call = masked(callOf(protocol, { head: bytes(statement), fields: { command: 'Query' } }))
      expect(starless(headOf(call.request))).toBe(expected)
      expect(Buffer.from(packExchange(call)).includes(SECRET)).toBe(false)
      expect(JSON.stringify([call.summary.path])).not.toContain(SECRET)
    }
  })

  it.each([
    'SELECT a, modified, secrets FROM t WHERE p = $1',
    "INSERT INTO t VALUES ('a@b')",
    'SELECT password FROM t',
  ])('%s stays', (statement) => {
    const call = callOf('postgresql', { head: bytes(statement) })
    expect(masked(call)).toBe(call)
  })

  it('takes a time that grows with the statement only, whatever it is made of', () => {
    for (const mark of [
      "password '",
      'password=',
      "'password=",
      'identified by ',
      'set password for ',
      '@',
      '$$',
      'password /*',
      'password --',
      'password = ( ',
    ])
      expect(
        headOf(masked(callOf('mysql', { head: bytes(mark.repeat(6000)) })).request).length,
      ).toBeGreaterThan(0)
    // What follows is tried at every length of each gap, if gaps are next to each other.
    for (const begin of ['password', 'identified by', 'set password for a ='])
      expect(masked(callOf('mysql', { head: bytes(`${begin}${' '.repeat(60_000)}x`) }))).toBeDefined()
  })
})
