import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { isWorkerCredential, workerCredential } from '@tapdeck/api/credentials'
import { type Config, durationMs, parseSize } from '@tapdeck/config'
import { type AnswerSink, Answers } from './link/answers.ts'
import { portWarning, readClientPorts } from './link/client-ports.ts'
import { HubLink } from './link/hub-link.ts'
import { linkAddress, ownPort } from './link/link-address.ts'
import { linkTrust } from './link/link-trust.ts'
import type { Log } from './log.ts'
import { WorkerThreads } from './threads/worker-threads.ts'
import { version } from './version.ts'

const REPORT_MS = 1000

export interface WorkerOptions {
  readonly config: Config
  readonly dataFolder: string
  /** What to prove ourselves with, or a file with it; absent: the file that the hub keeps in the data folder. */
  readonly credential?: { readonly text: string } | { readonly file: string }
  readonly captureThread: URL
  readonly liveThread: URL
  readonly rewindThread: URL
  readonly log: Log
  /** The worker cannot go on. */
  failed(reason: string): void
}

/** The worker of one node: it captures and records always, and does what the hub asks while there is one. */
export class NodeWorker {
  readonly #threads: WorkerThreads
  readonly #link: HubLink
  readonly #warning: string | undefined
  #reports: NodeJS.Timeout | undefined
  #reporting = false

  constructor(options: WorkerOptions) {
    const { config, dataFolder, log } = options
    const { capture } = config.tap
    const node = nodeName(config.tap.node)
    const nodeIp = config.tap.nodeIp || ownAddress()
    const address = linkAddress(config.hub, config.tap.tls.cert !== '')
    const exceptPort = capture.captureSelf ? undefined : ownPort(address)
    this.#warning = portWarning(exceptPort, readClientPorts())
    this.#threads = new WorkerThreads({
      captureThread: options.captureThread,
      liveThread: options.liveThread,
      rewindThread: options.rewindThread,
      capture: {
        node,
        application: `tapdeck ${version}`,
        interfaces: capture.interfaces,
        snapLength: capture.snapLength,
        bufferSize: bytes(capture.bufferSize),
        ...(exceptPort === undefined ? {} : { exceptPort }),
        ...(config.tap.bpfOverride && { expression: config.tap.bpfOverride }),
        ...(capture.raw.enabled && {
          recording: { folder: join(dataFolder, 'recording'), maxBytes: bytes(capture.raw.storageSize) },
        }),
      },
      live: {
        node,
        ...(nodeIp !== undefined && { nodeIp }),
        folder: join(dataFolder, 'live'),
        maxBytes: bytes(capture.dbMaxSize),
        bodyBytes: bytes(capture.dissection.bodyBytes),
        redaction: config.tap.redaction,
        targets: config.tap,
      },
      rewind: {
        node,
        ...(nodeIp !== undefined && { nodeIp }),
        bodyBytes: bytes(capture.dissection.bodyBytes),
        redaction: config.tap.redaction,
        budget: { time: durationMs(capture.rewind.maxTime), bytes: bytes(capture.rewind.maxBytes) },
      },
      backfill: durationMs(capture.dissection.backfill),
      ...(capture.events.enabled && {
        events: { node, folder: join(dataFolder, 'os-events'), maxBytes: bytes(capture.events.storageSize) },
      }),
      log,
      calls: (text) => {
        if (!this.#link.crowded) this.#link.sendText(text)
      },
      liveRestarted: () => this.#link.reconnect(),
      captureEnded: () => options.failed('the capture thread has ended'),
    })
    const sink: AnswerSink = {
      answer: (id, result) => this.#link.sendText(`{"kind":"answer","id":${id},"result":${result}}`),
      failure: (id, { status, code, message, extensions }) =>
        this.#link.send({ kind: 'failure', id, status, code, detail: message, extensions }),
      piece: (id, piece) => this.#link.sendBytes(numbered(id, piece)),
    }
    const answers = new Answers(this.#threads, sink, join(dataFolder, 'snapshots'))
    this.#link = new HubLink({
      address,
      credential: () => ownCredential(options, node),
      tls: linkTrust(config),
      log,
      hello: async () => ({
        kind: 'hello',
        node,
        version,
        ...(nodeIp !== undefined && { ip: nodeIp }),
        report: await this.#threads.report(),
      }),
      message: (message) => answers.take(message),
      lost: () => void answers.drop(),
    })
  }

  async start(log: Log): Promise<void> {
    const { capture } = await this.#threads.report()
    if (capture.active) {
      log.info({ interfaces: capture.interfaces }, 'capturing')
      if (this.#warning !== undefined) log.warn(this.#warning)
    } else log.warn(`no live capture: ${capture.reason ?? 'no interface is up'}`)
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

/** The first address of this machine that others could reach; undefined where it has none. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (outward.find(({ family }) => family === 'IPv4') ?? outward[0])?.address
}

/**
 * The credential of this node. Whoever runs on the hub's machine is given the secret that credentials are made of, and
 * makes its own; anybody else was given its own, or the token of its service account. A file is read at each
 * connection: such tokens are renewed.
 */
function ownCredential({ credential, dataFolder }: WorkerOptions, node: string): string {
  const file = credential && 'file' in credential ? credential.file : join(dataFolder, 'worker.token')
  const given = credential && 'text' in credential ? credential.text : readFileSync(file, 'utf8').trim()
  const isOwn = isWorkerCredential(given) || /^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)
  return isOwn ? given : workerCredential(given, node)
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
