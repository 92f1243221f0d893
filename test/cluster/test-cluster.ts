import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const MAX_OUTPUT = 64 << 20

/** Its address in the network of the nodes. */
export const CONTROL_PLANE = '10.80.0.1'

const state = process.env.TAPDECK_CLUSTER_STATE ?? ''
const pack = process.env.TAPDECK_CLUSTER_PACK ?? ''
export const root = join(import.meta.dirname, '..', '..')
export const namespace = 'tapdeck'
/** Names of the nodes. */
export const nodes = Array.from(
  { length: Number(process.env.TAPDECK_CLUSTER_NODES ?? '3') },
  (_, at) => `node${at + 1}`,
)

/** Settings of the cluster, as its env.sh exports them. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const { stdout } = await execute('bash', ['-c', `. '${state}/env.sh' && env -0`], { maxBuffer: MAX_OUTPUT })
  const pairs = stdout.split('\0').filter((line) => line.includes('='))
  return Object.fromEntries(
    pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

let env: Promise<NodeJS.ProcessEnv> | undefined

export async function run(command: string, ...args: string[]): Promise<string> {
  return (await runWithErrors(command, ...args)).output
}

/** The same, with what the command wrote to its standard error. */
export async function runWithErrors(command: string, ...args: string[]) {
  env ??= environment()
  const options = { env: await env, cwd: root, maxBuffer: MAX_OUTPUT }
  const { stdout: output, stderr: errors } = await execute(command, args, options)
  return { output, errors }
}

/** A command that goes on; the caller ends it. */
export async function start(command: string, ...args: string[]): Promise<ChildProcessWithoutNullStreams> {
  env ??= environment()
  return spawn(command, args, { env: await env, cwd: root })
}

export const kubectl = (...args: string[]) => run('kubectl', ...args)
export const helm = (...args: string[]) => run('helm', ...args)

/** A command inside a node; 0 is the network of the control plane. */
export const inNode = (node: number, ...args: string[]) => {
  const [command, ...more] = nodeCommand(node, ...args)
  return run(command, ...more)
}

/** The same for a caller who starts it. Without the environment of the cluster, it is for processes of this test. */
export const nodeCommand = (node: number, ...args: string[]): [string, ...string[]] => [
  join(pack, 'node.sh'),
  String(node),
  ...args,
]

/** Applies objects. The definitions of all kinds, by which kubectl checks them first, take a slow API server long. */
export async function apply(...objects: readonly object[]): Promise<void> {
  const child = await start('kubectl', 'apply', '--validate=false', '-f', '-')
  child.stdout.resume()
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  child.stdin.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(errors)
}

/** The hub of a release named `tapdeck`, asked through the API server. */
export class ClusterHub {
  readonly #service: string

  constructor(namespace: string) {
    this.#service = `/api/v1/namespaces/${namespace}/services/tapdeck:http/proxy`
  }

  get = async <Answer>(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const text = new URLSearchParams(query).toString()
    return JSON.parse(await kubectl('get', '--raw', `${this.#service}${path}${text && `?${text}`}`)) as Answer
  }

  send = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const { server, token } = await credentials()
    const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json']
    const args = ['-sk', '-X', method, ...headers.flatMap((header) => ['-H', header])]
    const address = `${server}${this.#service}${path}`
    return JSON.parse(await run('curl', ...args, '-d', JSON.stringify(body ?? {}), address)) as Answer
  }
}

/** The hub of the release that all suites share. */
export const { get: hub, send } = new ClusterHub(namespace)

async function credentials() {
  const server = (
    await kubectl('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}')
  ).trim()
  return { server, token: readFileSync(join(state, 'admin.token'), 'utf8').trim() }
}

/** A socket that listens in the network of the control plane, which pods and nodes reach. The caller accepts its connections. */
export async function listenForPods(port: number): Promise<Server> {
  const listen = `const server = require('node:net').createServer().listen(${port}, '${CONTROL_PLANE}', () =>
    process.send('listening', server, () => process.exit()))`
  const network = ['-t', readFileSync(join(state, 'hub.pid'), 'utf8').trim(), '-n']
  const child = spawn('nsenter', [...network, process.execPath, '-e', listen], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [, server] = (await once(child, 'message')) as [string, Server]
  return server
}

/** Kills the API server. Returns how to start it again, in the same control groups, network and folder. */
export function killApiServer(): () => void {
  const found = readdirSync('/proc').find((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return (
        args.some((one) => one.endsWith('kube-apiserver')) &&
        readlinkSync(`/proc/${pid}/cwd`).startsWith(state)
      )
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error('there is no API server')
  const args = readFileSync(`/proc/${found}/cmdline`, 'utf8').split('\0').slice(0, -1)
  const cwd = readlinkSync(`/proc/${found}/cwd`)
  const groups = readFileSync(`/proc/${found}/cgroup`, 'utf8').trim().split('\n')
  const pairs = readFileSync(`/proc/${found}/environ`, 'utf8').split('\0').filter(Boolean)
  const own = Object.fromEntries(
    pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  process.kill(Number(found), 'SIGKILL')
  // Until it is gone, its port is taken, and a new one would end at once.
  const isGone = () => {
    try {
      return readFileSync(`/proc/${found}/stat`, 'utf8').includes(') Z ')
    } catch {
      return true
    }
  }
  while (!isGone()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  return () => {
    const child = spawn(
      'nsenter',
      ['-t', readFileSync(join(state, 'hub.pid'), 'utf8').trim(), '-n', '-u', `--wd=${cwd}`, ...args],
      {
        env: own,
        detached: true,
        stdio: 'ignore',
      },
    )
    child.unref()
    for (const line of groups) {
      const [, controllers = '', path = ''] = line.split(':')
      const name = controllers.replace(/^name=/, '')
      try {
        writeFileSync(join('/sys/fs/cgroup', name || 'unified', path, 'cgroup.procs'), String(child.pid))
      } catch {
        // Not every hierarchy is mounted.
      }
    }
  }
}
