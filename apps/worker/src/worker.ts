import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Config, parseSize } from '@tapdeck/config'
import { Answers } from './link/answers.ts'
import { HubLink } from './link/hub-link.ts'
import { linkAddress, ownPort } from './link/link-address.ts'
import type { Log } from './log.ts'
import { WorkerThreads } from './threads/worker-threads.ts'
import { version } from './version.ts'

const REPORT_MS = 1000

export interface WorkerOptions {
  readonly config: Config
  readonly dataFolder: string
  /** Given by whoever started us; absent: the file that the hub keeps in the data folder. */
  readonly credential?: string
  readonly captureThread: URL
  readonly liveThread: URL
  readonly log: Log
  /** The worker cannot go on. */
  failed(reason: string): void
}

/** The worker of one node: it captures and records always, and does what the hub asks while there is one. */
export class NodeWorker {
  readonly #threads: WorkerThreads
  readonly #link: HubLink
  #reports: NodeJS.Timeout | undefined
  #reporting = false

  constructor(options: WorkerOptions) {
    const { config, dataFolder, log } = options
    const { capture } = config.tap
    const node = nodeName(config.tap.node)
    const address = linkAddress(config.hub)
    const exceptPort = capture.captureSelf ? undefined : ownPort(address)
    this.#threads = new WorkerThreads({
      captureThread: options.captureThread,
      liveThread: options.liveThread,
      capture: {
        node,
        application: `tapdeck ${version}`,
        interfaces: capture.interfaces,
        snapLength: capture.snapLength,
        bufferSize: bytes(capture.bufferSize),
        ...(exceptPort === undefined ? {} : { exceptPort }),
        ...(capture.raw.enabled && {
          recording: { folder: join(dataFolder, 'recording'), maxBytes: bytes(capture.raw.storageSize) },
        }),
      },
      live: {
        node,
        folder: join(dataFolder, 'live'),
        maxBytes: bytes(capture.dbMaxSize),
        bodyBytes: bytes(capture.dissection.bodyBytes),
        targets: config.tap,
      },
      log,
      calls: (text) => {
        if (!this.#link.crowded) this.#link.sendText(text)
      },
      liveRestarted: () => this.#link.reconnect(),
      captureEnded: () => options.failed('the capture thread has ended'),
    })
    const answers = new Answers(this.#threads, {
      answer: (id, result) => this.#link.sendText(`{"kind":"answer","id":${id},"result":${result}}`),
      failure: (id, { status, code, message, extensions }) =>
        this.#link.send({ kind: 'failure', id, status, code, detail: message, extensions }),
      piece: (id, piece) => this.#link.sendBytes(numbered(id, piece)),
    })
    this.#link = new HubLink({
      address,
      credential: () => options.credential ?? storedCredential(dataFolder),
      log,
      hello: async () => ({ kind: 'hello', node, version, report: await this.#threads.report() }),
      message: (message) => answers.take(message),
      lost: () => void answers.drop(),
    })
  }

  async start(log: Log): Promise<void> {
    const { capture } = await this.#threads.report()
    if (capture.active) log.info({ interfaces: capture.interfaces }, 'capturing')
    else log.warn(`no live capture: ${capture.reason ?? 'no interface is up'}`)
    this.#link.connect()
    this.#reports = setInterval(() => void this.#report(), REPORT_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#reports)
    this.#link.close()
    await this.#threads.stop()
  }

  async #report(): Promise<void> {
    if (this.#reporting || !this.#link.ready || this.#link.crowded) return
    this.#reporting = true
    try {
      this.#link.send({ kind: 'report', report: await this.#threads.report() })
    } finally {
      this.#reporting = false
    }
  }
}

/** Names of nodes stand in ids, between slashes. */
function nodeName(configured: string): string {
  return (configured || hostname()).replace(/[/\s\p{Cc}]/gu, '-').slice(0, 253)
}

function storedCredential(dataFolder: string): string {
  return readFileSync(join(dataFolder, 'worker.token'), 'utf8').trim()
}

function bytes(size: string | number): number {
  return parseSize(String(size))!
}

function numbered(id: number, piece: Uint8Array): Uint8Array {
  const message = Buffer.allocUnsafeSlow(4 + piece.length)
  message.writeUInt32BE(id)
  message.set(piece, 4)
  return message
}
