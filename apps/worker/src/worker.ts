import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { WorkerReport } from '@tapdeck/api'
import { isWorkerCredential, workerCredential } from '@tapdeck/api/credentials'
import { type Config, durationMs } from '@tapdeck/config'
import { readClickhouseStorage } from '@tapdeck/index/clickhouse-storage'
import { ownAgents } from '@tapdeck/own-ports'
import { parsePortRange, parseSize } from '@tapdeck/units'
import { DeviceAddresses } from './device-addresses.ts'
import { createKeySources } from './keys/create-key-sources.ts'
import { NodeKeys } from './keys/node-keys.ts'
import { CallDelivery } from './link/call-delivery.ts'
import { HubLink } from './link/hub-link.ts'
import { linkAddress } from './link/link-address.ts'
import { linkTrust } from './link/link-trust.ts'
import { ownTraffic } from './link/own-traffic.ts'
import { ProbeServer } from './link/probe-server.ts'
import { ReportedGaps } from './link/reported-gaps.ts'
import { type AnswerSink, RequestHandler } from './link/request-handler.ts'
import type { Log } from './log.ts'
import { version } from './version.ts'
import { WorkerThreads } from './worker-threads.ts'

const REPORT_MS = 1000

export interface WorkerOptions {
  readonly config: Config
  readonly dataFolder: string
  /** The worker credential, or a file with it; by default the file that the hub keeps in the data folder. */
  readonly credential?: { readonly text: string } | { readonly file: string }
  readonly captureThread: URL
  readonly liveThread: URL
  readonly rewindThread: URL
  readonly log: Log
  /** Called when the worker cannot continue. */
  failed(reason: string): void
}

/** The worker of one node: captures and records always, and answers the hub while it is connected. */
export class NodeWorker {
  readonly #threads: WorkerThreads
  readonly #link: HubLink
  readonly #calls: CallDelivery
  readonly #keys: NodeKeys | undefined
  readonly #gaps = new ReportedGaps()
  readonly #devices = new DeviceAddresses()
  readonly #warnings: readonly string[]
  readonly #probes: ProbeServer
  readonly #probePort: number
  #reports: NodeJS.Timeout | undefined
  #reporting = false
  #isRecording = true
  readonly #log: Log

  constructor(options: WorkerOptions) {
    const { config, dataFolder, log } = options
    this.#log = log
    const { capture } = config.tap
    const node = nodeName(config.tap.node)
    const nodeIp = config.tap.nodeIp || ownAddress()
    const address = linkAddress(config.hub, config.tap.tls.cert !== '')
    const { warnings, ...leftOut } = ownTraffic(config, address)
    this.#warnings = warnings
    const ownRange = parsePortRange(capture.ownPorts)
    const { capture: tlsCapture } = config.tap.tls
    this.#keys = tlsCapture.enabled
      ? new NodeKeys({
          sources: createKeySources({ ...tlsCapture, podAt: (ip) => this.#threads.podAt(ip) }),
          folder: join(dataFolder, 'tls-keys'),
          maxBytes: bytes(tlsCapture.storageSize),
          log,
          deliver: (secrets) => this.#threads.learnKeys(secrets),
          caughtUp: (readUntil) => this.#threads.keysCaughtUp(readUntil),
        })
      : undefined
    const opensTls = tlsCapture.enabled
    const { index } = config.tap
    const clickhouse =
      index.engine === 'clickhouse' ? readClickhouseStorage(index.clickhouse, ownRange) : undefined
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
        ...leftOut,
        podLoopback: capture.podLoopback,
        podInterfaces: capture.podInterfaces,
        ...(config.tap.bpfOverride && { expression: config.tap.bpfOverride }),
        ...(capture.raw.enabled && {
          recording: { folder: join(dataFolder, 'recording'), maxBytes: bytes(capture.raw.storageSize) },
        }),
      },
      live: {
        node,
        ...(nodeIp !== undefined && { nodeIp }),
        // Each engine has its own record of what it covers.
        folder: join(dataFolder, clickhouse ? 'live-clickhouse' : 'live'),
        ...(clickhouse && { clickhouse }),
        maxBytes: bytes(capture.dbMaxSize),
        bodyBytes: bytes(capture.dissection.bodyBytes),
        redaction: config.tap.redaction,
        targets: config.tap,
        opensTls,
      },
      rewind: {
        node,
        ...(nodeIp !== undefined && { nodeIp }),
        bodyBytes: bytes(capture.dissection.bodyBytes),
        redaction: config.tap.redaction,
        budget: { time: durationMs(capture.rewind.maxTime), bytes: bytes(capture.rewind.maxBytes) },
        opensTls,
      },
      names: join(dataFolder, 'worker-names.json'),
      backfill: durationMs(capture.dissection.backfill),
      ...(capture.events.enabled && {
        events: { node, folder: join(dataFolder, 'os-events'), maxBytes: bytes(capture.events.storageSize) },
      }),
      keys: this.#keys,
      log,
      calls: (message) => this.#calls.send(message),
      liveRestarted: () => this.#link.reconnect(),
      captureEnded: () => options.failed('The capture thread has ended'),
    })
    const sink: AnswerSink = {
      answer: (id, result) => this.#link.sendText(`{"kind":"answer","id":${id},"result":${result}}`),
      failure: (id, { status, code, message, extensions }) =>
        this.#link.send({ kind: 'failure', id, status, code, detail: message, extensions }),
      piece: (id, piece) => this.#link.sendBytes(numbered(id, piece)),
    }
    const credential = () => ownCredential(options, node)
    const uploads = ownAgents(ownRange)
    const snapshots = join(dataFolder, 'snapshots')
    const requests = new RequestHandler({ services: this.#threads, sink, snapshots, credential, uploads })
    const tls = linkTrust(config)
    this.#probePort = config.tap.probePort
    this.#probes = new ProbeServer({
      capture: () => this.#threads.capture.ask('status', undefined),
      canVerifyHub: () => !fails(() => tls?.()),
      isConnected: () => this.#link.ready,
    })
    this.#link = new HubLink({
      address,
      credential,
      tls,
      log,
      hello: async () => ({
        kind: 'hello',
        node,
        version,
        ...(nodeIp !== undefined && { ip: nodeIp }),
        report: this.#gaps.all(await this.#currentReport()),
      }),
      message: (message) => requests.take(message),
      lost: () => {
        this.#calls.drop()
        void requests.drop()
      },
    })
    this.#calls = new CallDelivery(this.#link)
  }

  async start(log: Log): Promise<void> {
    if (this.#probePort !== 0) await this.#probes.listen(this.#probePort)
    const { capture, recorder } = await this.#threads.report()
    if (capture.active) {
      log.info({ interfaces: capture.interfaces }, 'Capturing packets')
      for (const text of this.#warnings) log.warn(text)
    } else log.warn(`No live capture: ${capture.reason ?? 'no interface is up'}`)
    this.#logRecorder(recorder)
    this.#keys?.start()
    this.#link.connect()
    this.#reports = setInterval(() => void this.#report(), REPORT_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#reports)
    this.#probes.close()
    this.#link.close()
    await this.#threads.stop()
    await this.#keys?.stop()
  }

  /** Logs once when recording stops, and once when it resumes. */
  #logRecorder({ recording, reason }: WorkerReport['recorder'] = { recording: true }): void {
    if (recording === this.#isRecording) return
    this.#isRecording = recording
    if (recording) this.#log.info('Recording resumed')
    else this.#log.error(`Packets are not recorded: ${reason}`)
  }

  async #currentReport(): Promise<WorkerReport> {
    const report = { ...(await this.#threads.report()), addresses: this.#devices.read() }
    const { undelivered } = this.#calls
    return undelivered > 0 ? { ...report, loss: { ...report.loss, undelivered_calls: undelivered } } : report
  }

  async #report(): Promise<void> {
    if (this.#reporting) return
    this.#reporting = true
    try {
      const report = await this.#currentReport()
      this.#calls.flush()
      this.#logRecorder(report.recorder)
      const { oldest_ts } = report.recording
      if (oldest_ts !== null) this.#keys?.forgetBefore(oldest_ts)
      if (this.#link.ready && !this.#link.congested)
        this.#link.send({ kind: 'report', report: this.#gaps.onlyNew(report) })
    } finally {
      this.#reporting = false
    }
  }
}

/** The name is part of call ids, between slashes. */
function nodeName(configured: string): string {
  return (configured || hostname()).replace(/[/\s\p{Cc}]/gu, '-').slice(0, 253)
}

/** The first address of this machine that others can reach; undefined if there is none. */
function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (outward.find(({ family }) => family === 'IPv4') ?? outward[0])?.address
}

/**
 * The credential of this node. A worker on the hub's machine gets the secret and derives its credential from it; any other
 * worker gets its own credential, or the token of its service account. A file is read at each connection, because such
 * tokens are renewed.
 */
function ownCredential({ credential, dataFolder }: WorkerOptions, node: string): string {
  const file = credential && 'file' in credential ? credential.file : join(dataFolder, 'worker.token')
  const given = credential && 'text' in credential ? credential.text : readFileSync(file, 'utf8').trim()
  const isOwn = isWorkerCredential(given) || /^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)
  return isOwn ? given : workerCredential(given, node)
}

function fails(act: () => unknown): boolean {
  try {
    act()
    return false
  } catch {
    return true
  }
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
