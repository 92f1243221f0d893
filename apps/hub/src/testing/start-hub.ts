import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { operations } from '@tapdeck/api'
import { type BootSources, type Config, resolveConfig } from '@tapdeck/config'
import { pino } from 'pino'
import { routes } from '../http/routes.ts'
import { createHub, type Hub } from '../hub.ts'
import type { Log } from '../log.ts'
import { FolderState } from '../state/folder-state.ts'
import type { StateStore } from '../state/state-store.ts'
import { type Answers, FakeWorker } from './fake-worker.ts'

export const credential = 'a-credential-of-this-test'

export interface TestHub extends Hub {
  readonly folder: string
  readonly logged: string[]
  readonly log: Log
  port: number
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Listens on a free port of the loopback. */
  open(): Promise<number>
  worker(
    node: string,
    answers?: Answers,
    report?: ConstructorParameters<typeof FakeWorker>[4],
  ): Promise<FakeWorker>
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly json: any
}

export interface StartOptions {
  readonly set?: readonly string[]
  readonly files?: readonly string[]
  readonly thread?: URL
  readonly scriptThread?: URL
  readonly folder?: string
  readonly dashboard?: string
  readonly expectsWorker?: boolean
  readonly state?: StateStore
  readonly hasTakenOver?: boolean
  readonly config?: (config: Config) => Config
}

/** A whole hub in a folder of its own. Without `open` it has no sockets. */
export async function startHub(options: StartOptions = {}): Promise<TestHub> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'tapdeck-hub-')))
  const sources: BootSources = {
    files: options.files ?? [],
    set: options.set ?? [],
    setString: [],
    env: {},
    flags: {},
  }
  const texts = await Promise.all(
    sources.files.map(async (name) => ({
      name,
      text: await readFile(name, 'utf8'),
    })),
  )
  const { config, origins } = resolveConfig({ ...sources, files: texts })
  const logged: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  const hub = await createHub({
    config: options.config ? options.config(config) : config,
    origins,
    sources,
    dataFolder: folder,
    state: options.state ?? new FolderState(folder),
    hasTakenOver: options.hasTakenOver ?? false,
    workerCredential: credential,
    expectsWorker: options.expectsWorker ?? false,
    dashboardFolder: options.dashboard ?? join(folder, 'no-dashboard'),
    dissectionThread: options.thread ?? pathToFileURL(join(folder, 'no-thread.mjs')),
    scriptThread: options.scriptThread ?? pathToFileURL(join(folder, 'no-script.mjs')),
    log,
  })
  const workers: FakeWorker[] = []
  const send: TestHub['send'] = async (method, path, body, headers = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined
    const response = await hub.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { host: '127.0.0.1', ...(raw ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {}
    if (response.ok && json !== undefined) checkShape(method, path, json)
    return { status: response.status, headers: response.headers, text, json }
  }
  const test: TestHub = {
    ...hub,
    folder,
    logged,
    log,
    port: 0,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    async open() {
      test.port = await hub.listen('127.0.0.1', 0)
      return test.port
    },
    async worker(node, answers = {}, report) {
      if (test.port === 0) await test.open()
      const worker = new FakeWorker(test.port, credential, node, answers, report)
      workers.push(worker)
      await new Promise<void>((resolve) => {
        const joined = (one: { node: string }) => {
          if (one.node !== node) return
          hub.services.workers.off('join', joined)
          resolve()
        }
        hub.services.workers.on('join', joined)
      })
      return worker
    },
    async stop() {
      for (const worker of workers) worker.close()
      await hub.close()
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
  return test
}

/** Every answer that a test gets is held against the shape that the table promises. */
function checkShape(method: string, path: string, json: unknown): void {
  const { pathname, searchParams } = new URL(path, 'http://hub')
  // Chosen fields are a part of the shape.
  if (searchParams.has('fields')) return
  const route = routes.find((one) => {
    const shape = one.path
      .replace(/[.]/g, '\\.')
      .replace(/\{(\w+)\}/g, (_, name) => (name === 'id' ? '.+' : '[^/]+'))
    return one.method === method && new RegExp(`^${shape}$`).test(pathname)
  })
  const parsed = route && operations[route.operation].output.safeParse(json)
  if (parsed?.error) throw new Error(`${method} ${path} answers with another shape: ${parsed.error.message}`)
}

/** Polls until it holds; the test's own time limit is the only clock. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
