import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OperationName, operations } from '@tapdeck/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { routes } from '../http/routes.ts'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

/**
 * Two hubs whose data differs only in a decrypted call. Without `tls:read`, every operation gives the same answer on both,
 * whatever it is asked: neither content nor count of what was decrypted can be seen.
 */
const HIDDEN = 'needle-1234'
/** What only the decrypted call has; no request of these tests says it. */
const INSIDE = `${HIDDEN}-inside-of-tls`
const T0 = Date.now() - 60_000

interface World {
  readonly hub: TestHub
  readonly worker: IndexWorker
  readonly link: FakeWorker
  readonly reader: Record<string, string>
  readonly outsider: Record<string, string>
}

const grantable =
  'dissection:control,dissection:live,snapshot:read,snapshot:write,snapshot:dissection,pods:target:write,settings:write,events:cmdline'
const config = [
  'tap.auth.enabled=true',
  `tap.auth.roles.reader.capabilities={${grantable},tls:read}`,
  `tap.auth.roles.outsider.capabilities={${grantable}}`,
]

async function world(inside: string | undefined): Promise<World> {
  const hub = await startHub({ set: config })
  const worker = await IndexWorker.open('n1')
  await worker.add([
    { at: T0, service: 'orders', path: '/first' },
    { at: T0 + 1000, service: 'orders', path: '/visible', ...(inside !== undefined && { inside }) },
    { at: T0 + 2000, service: 'orders', path: '/last' },
  ])
  const link = await hub.worker('n1', {
    ...worker.answers,
    // As the recording of a node answers.
    rewind: async (input, ...rest) => ({
      ...(await worker.answers.calls!(input, ...rest)),
      spent: false,
      rewind: {
        read_bytes: 0,
        window_bytes: 0,
        packets: 0,
        elapsed_ms: 0,
        searched_from: T0,
        searched_to: T0,
        calls: 4,
        by_protocol: inside === undefined ? { tls: 1 } : { tls: 1, http: 1 },
        restricted: false,
      },
    }),
    rewind_call: async (input, ...rest) => ({
      ...(await worker.answers.call!(input, ...rest)),
      complete: true,
      rewind: undefined as never,
    }),
  })
  return {
    hub,
    worker,
    link,
    reader: giveToken(hub.folder, 'reader').headers,
    outsider: giveToken(hub.folder, 'outsider').headers,
  }
}

let present: World
let absent: World
beforeAll(async () => {
  ;[present, absent] = [await world(`/${INSIDE}`), await world(undefined)]
}, 60_000)
afterAll(async () => {
  for (const { hub, worker } of [present, absent]) {
    await hub.stop()
    await worker.close()
  }
})

const filters = [
  '',
  'decrypted',
  `path contains "${HIDDEN}"`,
  `tls_sni == "${HIDDEN}" or true`,
  `not (path == "/visible")) or (decrypted`,
  '"http" in flow_l7_detected',
  'true or decrypted',
]

async function ask(
  { hub, reader, outsider }: World,
  who: 'reader' | 'outsider',
  name: OperationName,
  input: Record<string, string>,
) {
  const { method, path } = routes.find((route) => route.operation === name && route.interface === 'api')!
  const given = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = given[key] ?? 'thing'
    delete given[key]
    return encodeURIComponent(value)
  })
  const inQuery = method === 'GET' || method === 'DELETE'
  const url = inQuery ? `${filled}?${new URLSearchParams(given)}` : filled
  const { status, text } = await hub.send(method, url, inQuery ? undefined : given, { reader, outsider }[who])
  return {
    status,
    text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time').replaceAll(/"([\w-]+_ms)":[\d.]+/g, '"$1":0'),
  }
}

/** Questions about calls, with what else they need. */
const questions: readonly (readonly [OperationName, Record<string, string>])[] = [
  ['list_api_calls', {}],
  ['list_api_calls', { format: 'full', order: 'oldest' }],
  ['list_api_calls', { format: 'raw', limit: '1' }],
  ['list_api_calls', { db: 'recording', start: String(T0 - 1), end: String(T0 + 9000) }],
  ['get_api_stats', { group_by: 'path' }],
  ['get_api_stats', { group_by: 'proto' }],
  ['get_api_stats', { group_by: 'time' }],
  ['get_topology', {}],
  [
    'diff_api_calls',
    {
      a_start: String(T0),
      a_end: String(T0 + 999),
      b_start: String(T0 + 1000),
      b_end: String(T0 + 9000),
      min_calls: '1',
      group_by: 'path',
    },
  ],
]

/** Live packets would have no end. */
const window = { start_time: String(T0), end_time: String(T0 + 60_000) }
const needed: Partial<Record<OperationName, Record<string, string>>> = { stream_packets: window }

describe('a caller without tls:read', () => {
  it.each(questions)('cannot tell by %s %o whether there is a decrypted call', async (name, input) => {
    for (const kfl of filters) {
      const one = await ask(present, 'outsider', name, { ...input, kfl })
      expect(one, kfl).toEqual(await ask(absent, 'outsider', name, { ...input, kfl }))
    }
  })

  it('is given no value of it as completion', async () => {
    for (const kfl of [
      'path == "',
      `path == "/${HIDDEN.slice(0, 3)}`,
      'tls_sni == "',
      'tls_key_source == "',
    ]) {
      const input = { kfl, cursor: String(kfl.length) }
      const one = await ask(present, 'outsider', 'complete_kfl', input)
      expect(one).toEqual(await ask(absent, 'outsider', 'complete_kfl', input))
      expect(one.text).not.toContain(HIDDEN)
    }
  })

  it('gets the call itself as little as one that is not there', async () => {
    const { text } = await ask(present, 'reader', 'list_api_calls', { kfl: 'decrypted' })
    const { id } = JSON.parse(text).calls[0] as { id: string }
    for (const db of [{}, { db: 'recording' }]) {
      expect((await ask(present, 'reader', 'get_api_call', { id, ...db })).status).toBe(200)
      const one = await ask(present, 'outsider', 'get_api_call', { id, ...db })
      expect(one.status).toBe(404)
      expect(one).toEqual(await ask(absent, 'outsider', 'get_api_call', { id, ...db }))
    }
  })

  it.each(
    (Object.keys(operations) as OperationName[]).filter((name) =>
      routes.some((route) => route.operation === name && route.interface === 'api' && route.method === 'GET'),
    ),
  )('sees nothing of it by %s without parameters', async (name) => {
    const one = await ask(present, 'outsider', name, needed[name] ?? {})
    expect(one.text).not.toContain(HIDDEN)
    expect(one.status).toBe((await ask(absent, 'outsider', name, needed[name] ?? {})).status)
  })

  it.each(routes.filter(({ method }) => method !== 'DELETE'))(
    'sees nothing of it by $method $path, with its id and with a filter for it',
    async ({ method, path, operation }) => {
      const { text: found } = await ask(present, 'reader', 'list_api_calls', { kfl: 'decrypted' })
      const { id } = JSON.parse(found).calls[0] as { id: string }
      const input = { id, kfl: 'decrypted', name: 'thing', db: '', tls_keys: 'true', start: String(T0) }
      const filled = path.replace('{id}', id).replaceAll(/\{\w+\}/g, 'thing')
      const texts: string[] = []
      for (const one of [{}, input, { id }, { kfl: 'decrypted' }, { kfl: 'decrypted and' }]) {
        const given = { ...one, ...needed[operation] }
        const inQuery = method === 'GET'
        const url = inQuery ? `${filled}?${new URLSearchParams(given)}` : filled
        texts.push((await present.hub.send(method, url, inQuery ? undefined : given, present.outsider)).text)
      }
      for (const text of texts) expect(text).not.toContain(INSIDE)
    },
  )

  it('subscribes without it, and so do agents and recordings', async () => {
    const { hub, link, outsider, reader } = present
    const filtersSeen = () =>
      link.asked.flatMap(({ request, input }) =>
        request === 'subscribe' ? [(input as { readonly kfl: string }).kfl] : [],
      )
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers: outsider })
    await once(socket, 'open')
    socket.send(JSON.stringify({ kind: 'filter', kfl: 'http' }))
    await until(filtersSeen, (seen) => seen.includes('not decrypted and (http)'))
    socket.terminate()
    const agent = { name: 'a', kfl: 'path contains "x"', actions: [{ kind: 'log' }] }
    await hub.send('POST', '/api/agents', agent, reader)
    await hub.send('POST', '/api/recordings', { name: 'r', kfl: 'redis' }, reader)
    await until(
      filtersSeen,
      (seen) =>
        seen.includes('not decrypted and (path contains "x")') && seen.includes('not decrypted and (redis)'),
    )
  })
})

it('a caller with tls:read sees it, and the audit log says so', async () => {
  const { text } = await ask(present, 'reader', 'list_api_calls', { kfl: 'decrypted', format: 'full' })
  expect(JSON.parse(text)).toMatchObject({
    total: 1,
    calls: [{ path: `/${INSIDE}`, decrypted: true, tls: { sni: INSIDE, key_source: 'test' } }],
  })
  const file = join(present.hub.folder, 'audit', 'audit.jsonl')
  const entries = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
  const [{ id }] = JSON.parse(text).calls
  const explained = await ask(present, 'reader', 'explain_call', { id })
  expect(JSON.parse(explained.text)).toMatchObject({ id, decrypted: true })
  for (const operation of ['list_api_calls', 'explain_call'])
    await until(entries, (lines) =>
      lines.some((line) => line.includes('"decrypted":1') && line.includes(operation)),
    )
})

it('no log has what was decrypted', async () => {
  await ask(present, 'reader', 'list_api_calls', { kfl: 'decrypted', format: 'full' })
  expect(present.hub.logged.join('\n')).not.toContain(INSIDE)
  const file = join(present.hub.folder, 'audit', 'audit.jsonl')
  await until(
    () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    (text) => text.includes('"decrypted":1'),
  )
  expect(readFileSync(file, 'utf8')).not.toContain(INSIDE)
})
