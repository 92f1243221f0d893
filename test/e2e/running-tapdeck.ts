import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))

/** A whole Tapdeck of this machine on a port and a data folder of its own, capturing on loopback by default. */
export class RunningTapdeck {
  readonly url: string
  readonly port: number
  readonly #process: ChildProcess
  readonly #data: string

  private constructor(port: number, process: ChildProcess, data: string) {
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    this.#process = process
    this.#data = data
  }

  /** The data folder is made in `parent`, which is the folder for temporary files by default. */
  static async start(
    settings: readonly string[],
    port?: number,
    parent: string = tmpdir(),
    device = 'lo',
  ): Promise<RunningTapdeck> {
    port ??= await freePort()
    const data = mkdtempSync(join(parent, 'tapdeck-e2e-'))
    const sets = settings.flatMap((setting) => ['--set', setting])
    const args = [command, 'up', '--port', String(port), '--data', data, '--interface', device, ...sets]
    let output = ''
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-4000)
      })
    const tapdeck = new RunningTapdeck(port, child, data)
    for (let attempt = 0; attempt < 200; attempt++) {
      if (child.exitCode !== null) break
      if (await tapdeck.#isReady()) return tapdeck
      await sleep(200)
    }
    await tapdeck.stop()
    throw new Error(`Tapdeck did not start:\n${output}`)
  }

  async get(path: string): Promise<unknown> {
    return (await fetch(this.url + path)).json()
  }

  async post(path: string, body?: unknown): Promise<unknown> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await fetch(this.url + path, init)).json()
  }

  /** An API token, made by the command on the data folder. */
  token(role: string): string {
    const args = [command, 'token', 'create', '--role', role, '--data', this.#data]
    return execFileSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  }

  /** Bytes of memory that the hub holds now. */
  hubMemory(): number {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim().split(' ')
    const hub = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('hub.mjs'))
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  }

  /** The data folder of hub and worker. */
  get data(): string {
    return this.#data
  }

  /** Of the supervisor, whose children are the hub and the worker. */
  get pid(): number {
    return this.#process.pid ?? 0
  }

  async stop(): Promise<void> {
    const child = this.#process
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 8000)
      await gone
      clearTimeout(killer)
    }
    rmSync(this.#data, { recursive: true, force: true })
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2000) })).ok
    } catch {
      return false
    }
  }
}

/** None that the kernel gives to clients: nothing with the hub's port is recorded. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
