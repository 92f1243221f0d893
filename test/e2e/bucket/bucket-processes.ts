import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** From the root of the checkout, where tests and benches run. */
const command = resolve('dist/tapdeck.mjs')
const PATIENCE_MS = 240_000
const PAUSE_MS = 100
/** Hub and worker do not share a disk: without a secret that both know, the worker would not be let in. */
const SECRET = 'ab'.repeat(32)

/** A storage with a bucket that hubs, workers and jobs may fill. */
export interface StorageAddress {
  readonly endpoint: string
  /** Default: `tests`. */
  readonly bucketName?: string
  /** The variables that the credential chain of the SDK reads. */
  readonly environment: Readonly<Record<string, string>>
}

/** A process that was started, and what to do with it. */
export interface StartedProcess {
  /** That of the bundle, not that of the command that started it. */
  pid(): number | undefined
  /** Resolves when it has ended. */
  kill(): Promise<void>
}

/** Hubs, workers and jobs as processes, each with a data folder of its own, and one bucket. */
export class BucketProcesses {
  readonly #server: StorageAddress
  readonly #patience: number
  readonly #prefix: string
  readonly #set: readonly string[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'tapdeck-bucket-'))
  readonly #running = new Set<ChildProcess>()
  /** A hub that starts again has the same port, so that its workers find it. */
  readonly #ports = new Map<string, string>()
  #output = ''

  /** `set`: settings of all processes. */
  constructor(server: StorageAddress, prefix: string, set: readonly string[] = [], patienceMs = PATIENCE_MS) {
    this.#set = set
    this.#server = server
    this.#patience = patienceMs
    this.#prefix = prefix
  }

  /** Resolves with the hub that listens. */
  async hub(name: string, set: readonly string[] = []): Promise<BucketHub> {
    const more = set.flatMap((one) => ['--set', one])
    const args = [
      'hub',
      '--port',
      this.#ports.get(name) ?? '0',
      '--data',
      this.folder(name),
      ...this.#settings,
      ...more,
    ]
    const child = this.#start(args, this.#server.environment)
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    const address = await this.until('the hub listens', () => {
      if (child.exitCode !== null) throw new Error(`the hub ended: ${this.#output}`)
      return /listens on (http:\S+)/.exec(output)?.[1]
    })
    this.#ports.set(name, new URL(address).port)
    return new BucketHub(address, this.#started(child, 'hub.mjs'))
  }

  /** The data folder of a hub, or that of the worker. */
  folder(name: string): string {
    return join(this.#folder, name)
  }

  /** Records the packets with this port of loopback. It has no credentials. */
  worker(hub: BucketHub, port: number, set: readonly string[] = []): StartedProcess {
    const settings = [
      ...this.#set,
      'tap.node=node-1',
      // Then it leaves uploads out.
      'tap.snapshots.storage=s3',
      'tap.capture.dissection.enabled=true',
      `tap.bpfOverride=tcp port ${port}`,
      ...set,
    ]
    const sets = settings.flatMap((one) => ['--set', one])
    const data = this.folder('worker')
    const child = this.#start(['worker', '--url', hub.url, '--data', data, '--interface', 'lo', ...sets], {})
    return this.#started(child, 'worker.mjs')
  }

  /** Runs a job to its end, and returns what it says. */
  async dissectJob(...args: string[]): Promise<string> {
    const { status, output } = await this.job(...args).ended
    if (status !== 0) throw new Error(output)
    return output
  }

  /** Starts a job. */
  job(...args: string[]): StartedProcess & {
    readonly ended: Promise<{ readonly status: number | null; readonly output: string }>
  } {
    const all = ['dissect-job', ...args, '--work', this.#folder, ...this.#settings]
    const child = this.#start(all, this.#server.environment)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
      })
    const ended = once(child, 'close').then(([status]) => ({ status: status as number | null, output }))
    return { ...this.#started(child, 'dissect-job.mjs'), ended }
  }

  /** Waits until something is there. */
  async until<Found>(
    what: string,
    look: () => Found | undefined | Promise<Found | undefined>,
  ): Promise<Found> {
    for (const end = Date.now() + this.#patience; Date.now() < end; ) {
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
      `tap.snapshots.s3.bucket=${this.#server.bucketName ?? 'tests'}`,
      `tap.snapshots.s3.endpoint=${this.#server.endpoint}`,
      'tap.snapshots.s3.pathStyle=true',
      `tap.snapshots.s3.prefix=${this.#prefix}`,
      ...this.#set,
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

  #started(child: ChildProcess, bundle: string): StartedProcess {
    const pid = () => bundlePid(child.pid, bundle)
    return {
      pid,
      kill: async () => {
        await this.until('the process runs', pid)
        process.kill(pid()!, 'SIGKILL')
        await this.until('the killed process ended', () => !this.#running.has(child))
      },
    }
  }
}

/** The child of a command that runs this bundle. */
function bundlePid(pid: number | undefined, bundle: string): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const found = children.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes(bundle))
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/** A hub that listens. */
export class BucketHub {
  readonly url: string
  readonly kill: () => Promise<void>
  readonly pid: () => number | undefined

  constructor(url: string, { kill, pid }: StartedProcess) {
    this.url = url
    this.kill = kill
    this.pid = pid
  }

  async get<Answer>(path: string): Promise<Answer> {
    return (await fetch(this.url + path)).json() as Promise<Answer>
  }

  async post(path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }

  async delete(path: string): Promise<void> {
    const answer = await fetch(this.url + path, { method: 'DELETE' })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }

  /** Resolves when the first piece is there. */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const answer = await fetch(this.url + path)
    if (!answer.ok || answer.body === null)
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.body
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
