import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { S3Server } from '@tapdeck/objects/testing'

const command = fileURLToPath(new URL('../../../dist/tapdeck.mjs', import.meta.url))
const PATIENCE = 2400
const PAUSE_MS = 100
/** Hub and worker do not share a disk: without a secret that both know, the worker would not be let in. */
const SECRET = 'ab'.repeat(32)

/** Hubs, workers and jobs as processes, each with a data folder of its own, and one bucket. */
export class BucketProcesses {
  readonly #server: S3Server
  readonly #prefix: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'tapdeck-bucket-'))
  readonly #running = new Set<ChildProcess>()
  #output = ''

  constructor(server: S3Server, prefix: string) {
    this.#server = server
    this.#prefix = prefix
  }

  /** Resolves with the hub that listens. */
  async hub(name: string): Promise<BucketHub> {
    const args = ['hub', '--port', '0', '--data', join(this.#folder, name), ...this.#settings]
    const child = this.#start(args, this.#server.environment)
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const address = await this.until('the hub listens', () => /listens on (http:\S+)/.exec(output)?.[1])
    return new BucketHub(address, () => this.#kill(child, 'hub.mjs'))
  }

  /** Records the packets with this port of loopback. It has no credentials. */
  worker(hub: BucketHub, port: number): { kill(): Promise<void> } {
    const settings = [
      'tap.node=node-1',
      'tap.capture.dissection.enabled=true',
      `tap.bpfOverride=tcp port ${port}`,
    ]
    const sets = settings.flatMap((one) => ['--set', one])
    const data = join(this.#folder, 'worker')
    const child = this.#start(['worker', '--url', hub.url, '--data', data, '--interface', 'lo', ...sets], {})
    return { kill: () => this.#kill(child, 'worker.mjs') }
  }

  /** Runs a job to its end, and returns what it says. */
  async dissectJob(...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.#server.environment }
    const all = [command, 'dissect-job', ...args, '--work', this.#folder, ...this.#settings]
    return (await promisify(execFile)(process.execPath, all, { env })).stdout
  }

  /** Waits until something is there. */
  async until<Found>(
    what: string,
    look: () => Found | undefined | Promise<Found | undefined>,
  ): Promise<Found> {
    for (let attempt = 0; attempt < PATIENCE; attempt++) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await sleep(PAUSE_MS)
    }
    throw new Error(`it did not come to be that ${what}:\n${this.#output}`)
  }

  async stop(): Promise<void> {
    for (const child of this.#running) child.kill('SIGTERM')
    await this.until('all ended', () => this.#running.size === 0)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }

  get #settings(): string[] {
    return [
      'tap.snapshots.storage=s3',
      'tap.snapshots.s3.bucket=tests',
      `tap.snapshots.s3.endpoint=${this.#server.endpoint}`,
      'tap.snapshots.s3.pathStyle=true',
      `tap.snapshots.s3.prefix=${this.#prefix}`,
    ].flatMap((one) => ['--set', one])
  }

  #start(args: readonly string[], more: Readonly<Record<string, string>>): ChildProcess {
    const env = { ...process.env, ...more, TAPDECK_WORKER_TOKEN: SECRET }
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        this.#output = (this.#output + chunk).slice(-8000)
      })
    return child
  }

  /** Kills the process that runs the bundle, and waits for the end of the command that started it. */
  async #kill(child: ChildProcess, bundle: string): Promise<void> {
    const { pid } = child
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const part = children.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes(bundle))
    process.kill(Number(part ?? pid), 'SIGKILL')
    await this.until('the killed process ended', () => !this.#running.has(child))
  }
}

/** A hub that listens. */
export class BucketHub {
  readonly url: string
  readonly kill: () => Promise<void>

  constructor(url: string, kill: () => Promise<void>) {
    this.url = url
    this.kill = kill
  }

  async get<Answer>(path: string): Promise<Answer> {
    return (await fetch(this.url + path)).json() as Promise<Answer>
  }

  async post(path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }

  async bytes(path: string): Promise<Buffer> {
    const answer = await fetch(this.url + path)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return Buffer.from(await answer.arrayBuffer())
  }

  /** Bytes of captures that were sent to the bucket, by sender. */
  async uploaded(): Promise<{ readonly node: number; readonly hub: number }> {
    const page = String(await this.bytes('/metrics'))
    const of = (by: string) =>
      Number(new RegExp(`^tapdeck_uploaded_bytes_total\\{by="${by}"\\} (\\d+)$`, 'm').exec(page)?.[1])
    return { node: of('node'), hub: of('hub') }
  }
}
