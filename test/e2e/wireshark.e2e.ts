import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
const run = promisify(execFile)
/** Wireshark refuses programs of a folder of the environment for root. */
const UNPRIVILEGED = 65_534
const hasTshark = spawnable('tshark')

let folder: string
let tapdeck: RunningTapdeck
let server: ChildProcess
let traffic: NodeJS.Timeout
let port: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-wireshark-'))
  const pem = join(folder, 'pem')
  const keyLog = join(folder, 'keys.log')
  const parts = ['key', 'crt'].map((name) => join(folder, name))
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-keyout', parts[0]!, '-out', parts[1]!],
    ],
    { stdio: 'ignore' },
  )
  writeFileSync(pem, parts.map((path) => readFileSync(path, 'utf8')).join(''))
  const program = join(folder, 'server.cjs')
  writeFileSync(
    program,
    `const pem = require('node:fs').readFileSync(${JSON.stringify(pem)})
     const server = require('node:https').createServer({ key: pem, cert: pem }, (request, response) => response.end('ok'))
     server.listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  )
  server = spawn(process.execPath, [`--tls-keylog=${keyLog}`, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = await once(server.stdout!, 'data')
  port = Number(text)
  tapdeck = await RunningTapdeck.start([
    'tap.tls.capture.enabled=true',
    `tap.tls.capture.keyLogFiles={${keyLog}}`,
  ])
  traffic = setInterval(() => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/marker',
      rejectUnauthorized: false,
      agent: false,
    } as const
    get(options, (response) => response.resume()).on('error', () => {})
  }, 300)
})

afterAll(async () => {
  clearInterval(traffic)
  server?.kill()
  await tapdeck?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Standard output of a shell line in which `$tapdeck` is the command, on this hub. */
async function shell(line: string): Promise<string> {
  const env = { ...process.env, tapdeck: `${process.execPath} ${command}`, TAPDECK_URL: tapdeck.url }
  const { stdout } = await run('sh', ['-c', line], { env, maxBuffer: 64 << 20 })
  return stdout
}

it('prints packets as text, and ends after a number of them', async () => {
  const lines = await shell(`$tapdeck capture --format text --bpf 'tcp port ${port}' --count 5`)
  expect(lines.trim().split('\n')).toHaveLength(5)
  expect(lines).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}: TCP \\[`))
})

it.skipIf(!hasTshark)('tshark decrypts what it reads from a live capture of a KFL filter', async () => {
  const shown = await shell(
    `$tapdeck capture --tls-keys --kfl 'request.path == "/marker"' --count 60 | tshark -r - -Y http 2>/dev/null`,
  )
  expect(shown).toContain('GET /marker')
})

it('prints each call when it is complete, and ends quietly when its reader has seen enough', async () => {
  const line = await shell(
    `$tapdeck capture --tls-keys --bpf 'tcp port ${port}' | $tapdeck dissect - --kfl http --format ndjson | head -1`,
  )
  expect(JSON.parse(line)).toMatchObject({ path: '/marker', decrypted: true })
})

it.skipIf(!hasTshark)('tshark lists the interfaces, and shows decrypted HTTP of one live', async () => {
  const home = join(folder, 'home')
  execFileSync('mkdir', ['-m', '755', home])
  await shell(`HOME=${home} $tapdeck extcap --install --url ${tapdeck.url}`)
  chmodSync(folder, 0o755)
  own(home)
  const env = {
    ...process.env,
    HOME: home,
    WIRESHARK_EXTCAP_DIR: join(home, '.local/lib/wireshark/extcap'),
  }
  const options = { env, uid: UNPRIVILEGED, gid: UNPRIVILEGED, cwd: home, maxBuffer: 64 << 20 }
  const { stdout: interfaces } = await run('tshark', ['-D'], options)
  expect(interfaces).toMatch(/ tapdeck \(Tapdeck: all nodes\)/)
  expect(interfaces).toMatch(/ tapdeck-node-\S+ \(Tapdeck node /)
  const tshark = spawn(
    'tshark',
    [
      ...['-i', 'tapdeck', '-o', 'extcap.tapdeck.tlskeys:true', '-f', `tcp port ${port}`],
      ...['-l', '-Y', 'http.request'],
    ],
    { ...options, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [first] = await once(tshark.stdout!, 'data')
  expect(String(first)).toContain('GET /marker')
  tshark.kill('SIGINT')
  await once(tshark, 'exit')
})

function own(path: string): void {
  chownSync(path, UNPRIVILEGED, UNPRIVILEGED)
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name))
}

function spawnable(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
