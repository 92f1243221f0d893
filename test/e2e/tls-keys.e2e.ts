import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseKeyLogLine } from '@tapdeck/tls'
import { selfSignedPem } from '@tapdeck/tls/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadSystemCalls } from '../../apps/worker/src/capture/system-calls.ts'
import type { CapturedSecret } from '../../apps/worker/src/keys/key-source.ts'
import { ProbeKernel } from '../../apps/worker/src/keys/probe-kernel.ts'
import { ProcessKeySource } from '../../apps/worker/src/keys/process-key-source.ts'
import { createProcessTargets } from '../../apps/worker/src/keys/process-targets.ts'

/** Keys are taken from real processes by probes, and are those that the processes write to their own key logs. */

const run = promisify(execFile)
const CONNECTIONS = 40
const serverCode = `
  const { readFileSync } = require('node:fs')
  const pem = readFileSync(process.argv[2])
  require('node:https')
    .createServer({ key: pem, cert: pem }, (_, response) => response.end('hello'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

let folder: string
let pem: string
let why = ''
let source: ProcessKeySource | undefined
let found: CapturedSecret[] = []
const targets = new Set<number>()
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-tls-keys-'))
  pem = join(folder, 'server.pem')
  const { key, cert } = selfSignedPem('localhost')
  writeFileSync(pem, key + cert)
  try {
    ProbeKernel.open(await loadSystemCalls()).close()
  } catch (error) {
    why = String(error)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  source?.stop()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  targets.clear()
  found = []
})

function begin(maxHitsPerSecond = 100_000): ProcessKeySource {
  source = new ProcessKeySource({ isTargeted: ({ pid }) => targets.has(pid), maxHitsPerSecond })
  source.start((secret) => found.push(secret))
  return source
}

/** Starts a server that prints its port. */
async function serve(command: string, args: readonly string[]): Promise<{ pid: number; port: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  const [text] = await once(child.stdout!, 'data')
  return { pid: child.pid!, port: Number(text) }
}

function serveNode(...options: string[]): Promise<{ pid: number; port: number }> {
  const script = join(folder, 'server.cjs')
  writeFileSync(script, serverCode)
  return serve(process.execPath, [...options, script, pem])
}

/** A process in a network of its own, which sends itself a request for each line that it reads. */
async function startPod(address: string): Promise<{ pid: number; child: ChildProcess }> {
  const script = join(folder, 'pod.cjs')
  writeFileSync(
    script,
    `const pem = require('node:fs').readFileSync(process.argv[2])
     const https = require('node:https')
     const server = https.createServer({ key: pem, cert: pem }, (_, response) => response.end('hello'))
     server.listen(0, '127.0.0.1', () => console.log('ready'))
     process.stdin.on('data', () =>
       https.get({ port: server.address().port, host: '127.0.0.1', agent: false, rejectUnauthorized: false },
         (response) => response.resume().on('end', () => console.log('done'))))`,
  )
  const setUp = `ip link set lo up && ip address add ${address}/32 dev lo && exec "$0" "$@"`
  const args = ['-n', 'sh', '-c', setUp, process.execPath, script, pem]
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'ignore'] })
  children.push(child)
  await once(child.stdout!, 'data')
  return { pid: child.pid!, child }
}

/** A request on a connection of its own. */
async function request(port: number, version: 'TLSv1.2' | 'TLSv1.3'): Promise<void> {
  const options = { port, minVersion: version, maxVersion: version, rejectUnauthorized: false, agent: false }
  const [response] = await once(get({ host: '127.0.0.1', ...options }), 'response')
  await once(response.resume(), 'end')
}

async function requests(port: number): Promise<void> {
  for (let number = 0; number < CONNECTIONS; number++)
    await request(port, number % 2 === 0 ? 'TLSv1.3' : 'TLSv1.2')
}

/** The lines of a key log that open records. */
function linesOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => parseKeyLogLine(line) !== undefined).sort()
}

async function expectSecretsOf(keyLog: string, earlier: ReadonlySet<string> = new Set()): Promise<void> {
  const logged = () => linesOf(keyLog).filter((line) => !earlier.has(line))
  const taken = () => found.map(({ line }) => line).filter((line) => !earlier.has(line))
  // Four secrets of each connection with TLS 1.3, and one of each with TLS 1.2.
  await expect.poll(() => logged().length, { timeout: 30_000 }).toBe(CONNECTIONS * 2.5)
  await expect.poll(() => taken().sort(), { timeout: 30_000 }).toEqual(logged())
}

async function attached(probes: number): Promise<void> {
  await expect.poll(() => source!.status(), { timeout: 30_000 }).toMatchObject({ probes })
}

describe('keys from processes', () => {
  it('takes the secrets of all short connections of a Node.js server', async (test) => {
    test.skip(why !== '', `not possible here: ${why}`)
    const keyLog = join(folder, 'node.log')
    const { pid, port } = await serveNode(`--tls-keylog=${keyLog}`)
    targets.add(pid)
    begin()
    await attached(1)
    await requests(port)
    await expectSecretsOf(keyLog)
    expect(found[0]).toMatchObject({ source: 'node', pid })
    expect(source!.status()).toMatchObject({ secrets: CONNECTIONS * 2.5, missed: 0, learningFailures: 0 })
    expect(source!.status().reason).toBeUndefined()
  })

  it('takes nothing from a process that is not targeted, although it runs the same program', async (test) => {
    test.skip(why !== '', `not possible here: ${why}`)
    const [one, other] = [await serveNode(), await serveNode()]
    targets.add(one.pid)
    begin()
    await attached(1)
    await request(other.port, 'TLSv1.3')
    await request(one.port, 'TLSv1.3')
    await expect.poll(() => found.length, { timeout: 30_000 }).toBe(4)
    expect(new Set(found.map(({ pid }) => pid))).toEqual(new Set([one.pid]))
  })

  it.skipIf(!spawnable('unshare') || !spawnable('ip'))(
    'takes the secrets of pods in targeted namespaces only, found by the address of their network',
    async (test) => {
      test.skip(why !== '', `not possible here: ${why}`)
      const pods = new Map([
        ['192.0.2.71', { ns: 'shop', pod: 'cart-1' }],
        ['192.0.2.72', { ns: 'shop', pod: 'bank-1' }],
        ['192.0.2.73', { ns: 'other', pod: 'cart-2' }],
      ])
      const started = await Promise.all([...pods.keys()].map(startPod))
      const isTargeted = createProcessTargets({
        processes: '.*',
        namespaces: ['shop'],
        regex: '^cart',
        podAt: (ip) => pods.get(ip),
      })
      const inPod = new Set(started.map(({ pid }) => pid))
      source = new ProcessKeySource({
        isTargeted: (one) => inPod.has(one.pid) && isTargeted(one),
        maxHitsPerSecond: 100_000,
      })
      source.start((secret) => found.push(secret))
      await attached(1)
      // The targeted one last: when its secrets have come, those of the others would have come, too.
      for (const { child } of started.toReversed()) {
        child.stdin!.write('\n')
        await once(child.stdout!, 'data')
      }
      await expect.poll(() => found.length, { timeout: 30_000 }).toBe(4)
      expect(new Set(found.map(({ pid }) => pid))).toEqual(new Set([started[0]!.pid]))
    },
  )

  it('removes the probes when a process exceeds its budget, and reports this', async (test) => {
    test.skip(why !== '', `not possible here: ${why}`)
    const { pid, port } = await serveNode()
    targets.add(pid)
    begin(0)
    await attached(1)
    await request(port, 'TLSv1.3')
    await attached(0)
    const status = source!.status()
    expect(status).toMatchObject({ overBudget: 1 })
    expect(status.reason).toMatch(new RegExp(`^Process ${pid} .* more than 0 hits per second`))
    await request(port, 'TLSv1.3')
  })

  it('harms no target that starts, ends or is killed meanwhile, and leaves nothing attached', async (test) => {
    test.skip(why !== '', `not possible here: ${why}`)
    const before = kernelObjects()
    const { port } = await serveNode()
    const client = join(folder, 'client.cjs')
    writeFileSync(
      client,
      `require('node:https').get({ port: ${port}, host: '127.0.0.1', agent: false, rejectUnauthorized: false },
         (response) => response.resume().on('end', () => process.exit(7)))`,
    )
    source = new ProcessKeySource({ isTargeted: ({ pid }) => targets.has(pid), maxHitsPerSecond: 100_000 })
    for (let round = 0; round < 5; round++) {
      source.start((secret) => found.push(secret))
      const clients = Array.from({ length: 4 }, () => spawn(process.execPath, [client], { stdio: 'ignore' }))
      for (const { pid } of clients) targets.add(pid!)
      const killed = clients.pop()!
      killed.kill('SIGKILL')
      const ends = clients.map((one) => once(one, 'exit'))
      if (round % 2 === 1) source.stop()
      expect(await Promise.all(ends)).toEqual(clients.map(() => [7, null]))
      source.stop()
    }
    expect(kernelObjects()).toEqual(before)
  })

  it.for(shortPrograms)(
    'takes the secrets of short runs of $name, whose library is learned from the first',
    async ({ name: program, library, source: origin, waiting, options }, test) => {
      test.skip(why !== '', `not possible here: ${why}`)
      const libraries = tlsLibraries(program)
      test.skip(!libraries.includes(library), `there is no ${program} with ${library}`)
      const keyLog = join(folder, `${program}.log`)
      const { port } = await serveNode(`--tls-keylog=${keyLog}`)
      const url = `https://127.0.0.1:${port}/`
      const name = `tapdeck-${program}`
      const isTargeted = ({ comm }: { comm: string }) => comm === name
      source = new ProcessKeySource({ isTargeted, maxHitsPerSecond: 100_000 })
      source.start((secret) => found.push(secret))
      // A link gives the process a name of its own, so that no other of the machine is a target.
      const command = join(folder, name)
      symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), command)
      // The library is found in a process that runs for a while: it reads its standard input.
      const first = spawn(command, waiting(url), { stdio: ['pipe', 'ignore', 'ignore'] })
      children.push(first)
      // A program may have several: curl uses one of them, and a library of it the other.
      await attached(2 * libraries.length)
      first.stdin!.end(url)
      await once(first, 'exit')
      await expect.poll(() => linesOf(keyLog).length, { timeout: 30_000 }).toBe(4)
      // Its handshake may have ended before the probes were attached.
      const earlier = new Set(linesOf(keyLog))
      for (let number = 0; number < CONNECTIONS; number++)
        await run(command, options(number % 2 === 0 ? '1.3' : '1.2', url))
      await expectSecretsOf(keyLog, earlier)
      expect(found.at(-1)).toMatchObject({ source: origin, comm: name })
      expect(source.status()).toMatchObject({ learningFailures: 0 })
    },
  )

  const hasGo = spawnable('go')
  it.skipIf(!hasGo)('takes the secrets of a stripped Go program', { timeout: 600_000 }, async (test) => {
    test.skip(why !== '', `not possible here: ${why}`)
    writeFileSync(join(folder, 'main.go'), goServer)
    const program = join(folder, 'go-server')
    await run('go', ['build', '-ldflags=-s -w', '-o', program, join(folder, 'main.go')], {
      env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' },
    })
    const keyLog = join(folder, 'go.log')
    const { pid, port } = await serve(program, [pem, keyLog])
    targets.add(pid)
    begin()
    await attached(1)
    await requests(port)
    await expectSecretsOf(keyLog)
    expect(found[0]).toMatchObject({ source: 'go', pid })
  })
})

/** Programs that make one connection and end. */
const shortPrograms = [
  {
    name: 'curl',
    library: 'libssl',
    source: 'openssl',
    waiting: (url: string) => ['-sk', '-T', '-', url],
    options: (version: '1.2' | '1.3', url: string) => [
      ...['-sk', `--tlsv${version}`, '--tls-max', version],
      url,
    ],
  },
  {
    name: 'wget',
    library: 'libgnutls',
    source: 'gnutls',
    waiting: () => ['-qO-', '--no-check-certificate', '-i', '-'],
    options: (version: '1.2' | '1.3', url: string) => [
      ...['-qO-', '--no-check-certificate', '--ciphers', `NORMAL:-VERS-ALL:+VERS-TLS${version}`],
      url,
    ],
  },
] as const

/** The TLS libraries of a program; none if it is not installed. */
function tlsLibraries(program: string): string[] {
  if (!spawnable(program)) return []
  const path = execFileSync('which', [program], { encoding: 'utf8' }).trim()
  const linked = execFileSync('ldd', [path], { encoding: 'utf8' })
  return [...new Set(linked.match(/lib(?:ssl|gnutls)(?=\.so)/g))]
}

const goServer = `package main

import ("crypto/tls"; "fmt"; "os")

func main() {
	pair, err := tls.LoadX509KeyPair(os.Args[1], os.Args[1])
	if err != nil { panic(err) }
	log, err := os.Create(os.Args[2])
	if err != nil { panic(err) }
	config := &tls.Config{Certificates: []tls.Certificate{pair}, KeyLogWriter: log}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil { panic(err) }
	var port int
	fmt.Sscanf(listener.Addr().String(), "127.0.0.1:%d", &port)
	fmt.Println(port)
	for {
		connection, err := listener.Accept()
		if err != nil { panic(err) }
		go func() {
			defer connection.Close()
			connection.Read(make([]byte, 4096))
			fmt.Fprint(connection, "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
		}()
	}
}
`

/** Open probes and programs of this process. */
function kernelObjects(): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter((link) => /perf_event|bpf/.test(link))
}

function spawnable(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
