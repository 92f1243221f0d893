import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createServer, type Server } from 'node:tls'
import { selfSignedPem } from '@tapdeck/tls/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** Requests over TLS whose keys are in a key log: live, out of the recording and in a dissection they are the same calls. */

const REQUESTS = 20
const SECRET = 'e2e-needle'

interface Row {
  readonly id: string
  readonly proto: string
  readonly path?: string
  readonly decrypted?: boolean
  readonly tls?: { readonly sni?: string; readonly key_source?: string; readonly not_decrypted?: string }
}

let folder: string
let tapdeck: RunningTapdeck
let server: Server
let started: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-tls-'))
  const keyLog = join(folder, 'keys.log')
  tapdeck = await RunningTapdeck.start([
    'tap.capture.dissection.stopAfter=0',
    'tap.tls.capture.enabled=true',
    `tap.tls.capture.keyLogFiles={${keyLog}}`,
  ])
  const { key, cert } = selfSignedPem('shop.test')
  server = createServer({ key, cert }, (socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  started = Date.now()
  for (let at = 0; at < REQUESTS; at++) {
    const version = at % 2 === 0 ? 'TLSv1.2' : 'TLSv1.3'
    await request(`/${SECRET}/${at}`, version, (line) => appendFileSync(keyLog, line))
  }
  // The keys of this one are in no log.
  await request('/closed', 'TLSv1.3', () => {})
}, 120_000)

afterAll(async () => {
  server?.close()
  await tapdeck?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function request(
  path: string,
  version: 'TLSv1.2' | 'TLSv1.3',
  keyLine: (line: Buffer) => void,
): Promise<void> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ port, host: '127.0.0.1', servername: 'shop.test', rejectUnauthorized: false },
      ...{ minVersion: version, maxVersion: version },
    })
    socket.on('keylog', keyLine)
    socket.on('secureConnect', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: shop.test\r\n\r\n`))
    socket.on('data', () => socket.end())
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

async function search(kfl: string, db?: string): Promise<Row[]> {
  const query = new URLSearchParams({
    ...{ kfl, limit: '1000', format: 'full', start: String(started - 1000), order: 'oldest' },
    ...(db !== undefined && { db }),
  })
  return ((await tapdeck.get(`/mcp/calls?${query}`)) as { calls?: Row[] }).calls ?? []
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await holds()) return
    await sleep(250)
  }
  throw new Error('it did not come to that in a minute')
}

const mine = `tls_sni == "shop.test"`
const shape = (rows: readonly Row[]) =>
  rows.map(({ id, proto, path, decrypted, tls }) => ({ id, proto, path, decrypted, tls }))

test('all requests are opened, and are the same calls live, in the recording and in a dissection', async () => {
  await until(async () => (await search(`decrypted and ${mine}`)).length >= REQUESTS)
  await until(async () => (await search(`tls and ${mine}`)).length >= REQUESTS + 1)
  const live = await search(mine)
  const opened = live.filter(({ decrypted }) => decrypted)
  expect(opened.map(({ path }) => path)).toEqual(
    Array.from({ length: REQUESTS }, (_, at) => `/${SECRET}/${at}`),
  )
  expect(opened[0]!.tls).toMatchObject({ sni: 'shop.test', key_source: 'key_log_file' })
  const closed = live.filter(({ tls }) => tls?.not_decrypted !== undefined)
  expect(closed.map(({ tls }) => tls?.not_decrypted)).toEqual(['no_key'])

  expect(shape(await search(mine, 'recording'))).toEqual(shape(live))

  await tapdeck.post('/mcp/snapshots', { name: 'tls', duration: '1h' })
  const statusOf = async (path: string) => ((await tapdeck.get(path)) as { status: string }).status
  await until(async () => (await statusOf('/mcp/snapshots/tls')) === 'completed')
  await tapdeck.post('/mcp/dissections', { snapshot_name: 'tls', dissection_name: 'all' })
  await until(async () => (await statusOf('/mcp/dissections/tls/all')) === 'completed')
  const delayed = await search(mine, 'tls/all')
  // Flows are numbered from the first packet of the snapshot on.
  const withoutIds = (rows: readonly Row[]) => shape(rows).map(({ id, ...rest }) => rest)
  expect(withoutIds(delayed)).toEqual(withoutIds(live))
}, 180_000)

const hasTshark = spawnSync('tshark', ['--version']).status === 0
test.skipIf(!hasTshark)(
  'a download with keys is opened by tshark, and one without is not',
  async () => {
    const { port } = server.address() as AddressInfo
    const paths = async (query: string) => {
      const response = await fetch(
        `${tapdeck.url}/mcp/snapshots/tls/pcap?bpf_filter=tcp+port+${port}${query}`,
      )
      expect(response.status).toBe(200)
      const file = join(folder, 'download.pcapng')
      writeFileSync(file, Buffer.from(await response.arrayBuffer()))
      const decodeAs = ['-d', `tcp.port==${port},tls`, '-d', `tls.port==${port},http`]
      const fields = ['-Y', 'http.request', '-T', 'fields', '-e', 'http.request.uri']
      const shown = execFileSync('tshark', ['-r', file, ...decodeAs, ...fields], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return String(shown)
        .split('\n')
        .filter((line) => line !== '')
    }
    expect(await paths('&tls_keys=true')).toEqual(
      Array.from({ length: REQUESTS }, (_, at) => `/${SECRET}/${at}`),
    )
    expect(await paths('')).toEqual([])
  },
  120_000,
)

test('no secret is on disk in clear, and the sealed files are private', () => {
  const { data } = tapdeck
  const sealed = readdirSync(join(data, 'tls-keys'))
  expect(sealed.length).toBeGreaterThan(0)
  const [line = ''] = readFileSync(join(folder, 'keys.log'), 'utf8').split('\n')
  const [, random = '', secret = ''] = line.split(' ')
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const path = join(data, name)
    if (!statSync(path).isFile() || name.includes('tls-sealing-keys')) continue
    const bytes = readFileSync(path)
    expect(bytes.includes(secret), `${name} has a secret`).toBe(false)
    expect(bytes.includes(Buffer.from(secret, 'hex')), `${name} has a secret`).toBe(false)
    if (name.startsWith('tls-keys')) expect(bytes.includes(random)).toBe(false)
    if (/tls-(keys|sealing)/.test(name)) expect(statSync(path).mode & 0o077, name).toBe(0)
  }
})
