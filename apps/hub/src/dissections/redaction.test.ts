import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import { captureFile } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

const secrets = {
  header: 'header-secret-1f2e',
  cookie: 'cookie-secret-77aa',
  parameter: 'parameter-secret-9c',
  password: 'password-secret-zz',
  zipped: 'zipped-secret-abcd',
  literal: 'literal-secret-q1',
  card: '4111111111111111',
  pattern: 'sk_live_patternsecret',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0LXNpZw',
}

const rules = `
tap:
  redaction:
    headers: [authorization, cookie, set-cookie]
    query: [token]
    json: ["**.password"]
    sqlLiterals: true
    detect: [card, jwt]
    patterns: ['sk_live_[a-z]+']
`

function traffic(): Buffer {
  const { header, cookie, parameter, password, zipped, literal, card, pattern, jwt } = secrets
  const body = JSON.stringify({ user: { password, card, note: `key ${pattern}` } })
  const packed = gzipSync(JSON.stringify({ password: zipped, jwt }))
  const http = new Conversation({ clientPort: 40_001 })
    .handshake()
    .send(
      0,
      `POST /pay/${pattern}?token=${parameter}&x=1 HTTP/1.1\r\nHost: shop\r\nAuthorization: Basic ${header}\r\nCookie: id=${cookie}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    .send(
      1,
      Buffer.concat([
        Buffer.from(
          `HTTP/1.1 500 ${pattern}\r\nSet-Cookie: id=${cookie}\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`,
        ),
        packed,
      ]),
    )
    .close()
  const statement = `select * from users where name = '${literal}'`
  const query = Buffer.concat([Buffer.from('Q'), int32(statement.length + 5), Buffer.from(`${statement}\0`)])
  const startup = Buffer.concat([int32(8 + 12), int32(196_608), Buffer.from('user\0shop\0\0\0')])
  const postgres = new Conversation({ clientPort: 40_002, serverPort: 5432 })
    .handshake()
    .send(0, startup)
    .send(1, Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]))
    .send(0, query)
    .send(
      1,
      Buffer.concat([
        Buffer.from('C'),
        int32(13),
        Buffer.from('SELECT 0\0'),
        Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
      ]),
    )
    .close()
  const unknown = new Conversation({ clientPort: 40_003, serverPort: 7777 })
    .handshake()
    .send(0, `what is this ${pattern}\u0001`)
    .close()
  return captureFile([...http.packets, ...postgres.packets, ...unknown.packets])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

let thread: URL
let hub: TestHub
let values: string
beforeAll(async () => {
  thread = await bundleThread()
  values = `${new URL('.', thread).pathname}redaction-${process.pid}.yaml`
  await writeFile(values, rules)
})
afterAll(async () => {
  await rm(thread)
  await rm(values)
})
afterEach(() => hub?.stop())

/** Dissects the traffic, and gives back all that can be seen of it: answers, files and logs, as one text. */
async function everything(
  files: readonly string[],
): Promise<{ answers: string; files: string; logs: string }> {
  hub = await startHub({
    thread,
    files,
    ...(files.length === 0 && { set: ['tap.redaction.credentials=keep'] }),
  })
  expect((await hub.send('POST', '/api/snapshots/s/import', traffic())).status).toBe(201)
  const job = { snapshot_name: 's', dissection_name: 'd' }
  await hub.send('POST', '/delayed_dissection.DelayedDissection/Start', job)
  const { json } = await until(
    () => hub.get('/api/dissections/s/d'),
    ({ json: seen }) => ['completed', 'failed'].includes(seen.status),
  )
  expect(json).toMatchObject({ status: 'completed', errors: [] })
  const list = await hub.get('/api/calls?db=s/d&format=raw')
  const single = await Promise.all(
    list.json.calls.map(({ id }: { id: string }) => hub.get(`/api/calls/${id}?db=s/d`)),
  )
  const others = await Promise.all(
    ['stats?db=s/d&group_by=path', 'kfl/complete?db=s/d&kfl=path%20%3D%3D%20&cursor=8'].map((path) =>
      hub.get(`/api/${path}`),
    ),
  )
  const answers = [list, ...single, ...others].map(({ text }) => text).join('\n')
  const logs = hub.logged.join('\n')
  return { answers, files: await storedText(join(hub.folder, 'snapshots', 's', 'dissections')), logs }
}

async function storedText(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((name) => name.isFile())
  expect(files.length).toBeGreaterThan(1)
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )
  return texts.join('\n')
}

const found = (text: string) =>
  Object.entries(secrets)
    .filter(([, secret]) => text.includes(secret))
    .map(([name]) => name)

it('keeps secrets where nothing is redacted, so that looking for them means something', async () => {
  const { answers, files } = await everything([])
  expect(found(answers)).toEqual(Object.keys(secrets))
  expect(found(files)).not.toEqual([])
}, 60_000)

it('leaves no secret in any field, file or log once the rules say so', async () => {
  const { answers, files, logs } = await everything([values])
  expect(answers).toContain('"proto":"postgresql"')
  expect(answers).toContain('x-tapdeck-unpacked')
  expect({ answers: found(answers), files: found(files), logs: found(logs) }).toEqual({
    answers: [],
    files: [],
    logs: [],
  })
}, 60_000)

it('shows a role less than others, lets it not ask by what it may not see, and gives it no packets', async () => {
  const role = ['tap.auth.defaultRole=svc-viewer', 'tap.redaction.byRole.svc-viewer.headers={authorization}']
  hub = await startHub({ thread, set: [...role, 'tap.redaction.byRole.svc-viewer.bodies=true'] })
  const call = {
    id: 'n1/1/0',
    ts: 1,
    src: { ip: '10.0.0.1', port: 1 },
    dst: { ip: '10.0.0.2', port: 80 },
    proto: 'http',
    request: { headers: { authorization: secrets.header, host: 'h' }, body: secrets.password },
  }
  await hub.worker('n1', {
    calls: () => ({ calls: [call], total: 1, total_is: 'exact', cursors: ['x'] }),
    call: () => ({ call }),
  })
  for (const path of ['/api/calls?format=full', '/api/calls/n1/1/0']) {
    const { text } = await hub.get(path)
    expect(text).toContain('"host":"h"')
    expect(found(text)).toEqual([])
  }
  const asked = await hub.get(
    `/api/calls?kfl=${encodeURIComponent('request.headers["authorization"] contains "a"')}`,
  )
  expect(asked.json).toMatchObject({ status: 403, code: 'redacted_field' })
  expect((await hub.get(`/api/calls?kfl=${encodeURIComponent('http and path contains "a"')}`)).status).toBe(
    200,
  )
  expect((await hub.get('/api/snapshots/s/pcap')).json).toMatchObject({ status: 403, code: 'redacted_role' })
})

it('shows a role no literal in the name of a group or in a completion', async () => {
  const role = ['tap.auth.defaultRole=svc-viewer', 'tap.redaction.byRole.svc-viewer.sqlLiterals=true']
  hub = await startHub({ thread, set: role })
  const statement = `select * from users where name = '${secrets.literal}'`
  const end = { ip: '10.0.0.1', port: 1 }
  const figures = { calls: 1, errors: 0, capture_errors: 0, rate: 1, bytes: 1 }
  await hub.worker('n1', {
    calls: () => ({
      calls: [{ id: 'n1/1/0', ts: 1, src: end, dst: end, proto: 'http' }],
      total: 1,
      total_is: 'exact',
      cursors: ['x'],
    }),
    stats: () => ({ groups: [statement, '/users/42'].map((group) => ({ group, ...figures })) }),
    values: () => ({ values: [{ value: statement, calls: 1 }] }),
  })
  const stats = await hub.get('/api/stats?group_by=path')
  expect(stats.json.groups.map(({ group }: { group: string }) => group)).toEqual([
    "select * from users where name = '*****************'",
    '/users/42',
  ])
  const completed = await hub.get('/api/kfl/complete?kfl=path%20%3D%3D%20&cursor=8')
  expect(completed.text).toContain('select * from users')
  expect(found(stats.text + completed.text)).toEqual([])
})

it.each([
  ['tap.redaction.patterns={(}', 'tap.redaction: "(" is no pattern'],
  ['tap.redaction.byRole.unknown.bodies=true', 'tap.redaction.byRole.unknown: unknown role'],
])('does not start with %s', async (set, message) => {
  await expect(startHub({ set: [set] })).rejects.toThrow(message)
})
