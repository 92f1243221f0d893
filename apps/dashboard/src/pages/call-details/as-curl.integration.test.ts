import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asCurl } from './as-curl.ts'

interface Got {
  readonly method: string | undefined
  readonly target: string | undefined
  readonly headers: string[]
  readonly body: string
}

const got: Got[] = []
const server = createServer({ insecureHTTPParser: true }, async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  got.push({ method: request.method, target: request.url, headers: request.rawHeaders, body })
  response.end()
})
let folder: string
let dst: { ip: string; port: number }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-curl-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  dst = { ip: '127.0.0.1', port: (server.address() as AddressInfo).port }
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

/** What a server gets when the copied command is run by bash and curl. */
async function sent(request: {
  path?: string
  headers?: Record<string, string>
  body?: string
}): Promise<Got[]> {
  got.length = 0
  const command = asCurl({ proto: 'http', request: { method: 'POST', ...request }, dst })
  expect(command).toBeDefined()
  await promisify(execFile)('bash', ['--norc', '-c', command!], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
  })
  return [...got]
}

test.each([
  '@/etc/passwd',
  '-o/etc/passwd',
  "'; touch pwned; '",
  '$(touch pwned)`touch pwned`',
  '\x03\x04\x1b[201~\x07\x7f\t\n\r\ntouch pwned\n',
  '\\n\\x41\\',
  'täg \u202e\u2028 日本 😀 \u0085',
  '!!',
  '=ls',
  '~',
])('the body %j arrives as it was', async (body) => {
  expect(await sent({ path: '/x', body })).toMatchObject([{ method: 'POST', target: '/x', body }])
  expect(await readdir(folder)).toEqual([])
})

test.each(['@/etc/passwd', '-o x', "a'b", '\\', '\x1b[31m\x03', '$(touch pwned)', ''])(
  'the header value %j arrives as it was',
  async (value) => {
    const [one] = await sent({ path: '/x', headers: { 'x-note': value } })
    expect(one?.headers[one.headers.indexOf('x-note') + 1]).toBe(value)
    expect(await readdir(folder)).toEqual([])
  },
)

test.each(['/-o/@x', '/a/../../b/./c', '/x[1-5]{a,b}?c[]=d', "/'$(touch%20pwned)'", '/?a=%00&b=1'])(
  'the path %s is asked for once, as it was',
  async (path) => {
    expect(await sent({ path })).toMatchObject([{ target: path }])
    expect(await readdir(folder)).toEqual([])
  },
)

test('what a URL cannot contain is sent encoded', async () => {
  expect(await sent({ path: '/\x03 a#b\u00ff' })).toMatchObject([{ target: '/%03%20a%23b%FF' }])
})
