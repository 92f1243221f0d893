import type { EventsInput, WorkerReport } from '@tapdeck/api'
import {
  EventLog,
  type EventPage,
  eachLine,
  fromLine,
  ownershipTypes,
  type RecordedEvent,
  timeOfLine,
  toLine,
} from '@tapdeck/recording'
import { scrubCommandLine } from '@tapdeck/redact/command-line'
import { loadSystemCalls } from '../capture/system-calls.ts'
import { type KernelRecord, KernelWatch } from './kernel-watch.ts'
import { KnownProcesses } from './known-processes.ts'
import { noWatchReason } from './no-watch-reason.ts'
import { processDetails, type ShownArgument } from './process-details.ts'
import { RateLimit } from './rate-limit.ts'
import { listensAt, namespaceOf, type OwnedSocket, pids, scanSockets } from './socket-scan.ts'

/** Poll interval of the kernel records: short while live calls need the names of processes. */
const READ_MS = { live: 25, dormant: 100 }
const POLL_MS = 1000
/** How often the owners of sockets are recorded again: a window needs to look back no further. */
const SCAN_MS = 300_000
const POLLED_SCAN_MS = 15_000
const LOOK_BACK_MS = SCAN_MS + 30_000
const PROCESSES = { perSecond: 200, burst: 2000 }
const CONNECTIONS = { perSecond: 500, burst: 5000 }
/** Ownership events kept in memory for a live thread that starts later. */
const MAX_RECENT = 20_000

export interface OsEventsOptions {
  readonly folder: string
  readonly maxBytes: number
  readonly node: string
  /** Redacts an argument of a process, if there are rules. */
  readonly shownArgument?: ShownArgument | undefined
  /** New events name the processes of connections. */
  owned(events: readonly RecordedEvent[]): void
}

/** Events of the processes of this node: traced in the kernel if permitted, otherwise polled in /proc. */
export class OsEvents {
  /** Why events may be missing. */
  reason: string | undefined
  readonly #options: OsEventsOptions
  readonly #log: EventLog
  readonly #processes = new KnownProcesses()
  readonly #ofProcesses = new RateLimit(PROCESSES.perSecond, PROCESSES.burst, Date.now())
  readonly #ofConnections = new RateLimit(CONNECTIONS.perSecond, CONNECTIONS.burst, Date.now())
  readonly #ownNetwork = namespaceOf('self')
  #watch: KernelWatch | undefined
  #timers: NodeJS.Timeout[] = []
  #recent: RecordedEvent[] = []
  #reading: NodeJS.Timeout | undefined
  #closed = false
  #scanning = false

  private constructor(options: OsEventsOptions) {
    this.#options = options
    this.#log = EventLog.open(options.folder, { maxBytes: options.maxBytes })
  }

  static async open(options: OsEventsOptions): Promise<OsEvents> {
    const events = new OsEvents(options)
    await events.#start()
    return events
  }

  get status(): NonNullable<WorkerReport['events']> {
    const { size_bytes, lost, reason = this.reason } = this.#log.state
    const refused = this.#ofProcesses.refused + this.#ofConnections.refused + lost + (this.#watch?.lost ?? 0)
    return { size_bytes, refused, ...(reason !== undefined && { reason }) }
  }

  /** Recent ownership events. */
  get recent(): readonly RecordedEvent[] {
    return this.#recent
  }

  async find(
    query: EventsInput,
  ): Promise<EventPage & { readonly reason?: string; readonly cmdline_hidden?: boolean }> {
    this.#read()
    const page = await this.#log.find(query, scrubCommandLine)
    const { reason } = this.status
    return {
      ...page,
      ...(reason !== undefined && { reason }),
      ...(query.hide_cmdline && { cmdline_hidden: true }),
    }
  }

  /** The lines of a window, and the ownership events of the time before it. */
  async *window(start: number, end: number): AsyncGenerator<{ lines: Buffer; count: number }> {
    this.#read()
    for await (const text of this.#log.texts(start - LOOK_BACK_MS, end)) {
      const lines: Buffer[] = []
      eachLine(text, (at, until) => {
        const time = timeOfLine(text, at, until)
        if (time === undefined || time > end || time < start - LOOK_BACK_MS) return
        if (time >= start || ownershipTypes.has(fromLine(text, at, until)?.type ?? ''))
          lines.push(scrubbedLine(text, at, until))
      })
      if (lines.length > 0) yield { lines: Buffer.concat(lines), count: lines.length }
    }
  }

  /** Packets older than `time` (Unix milliseconds) were deleted. */
  forgetBefore(time: number): void {
    this.#log.forgetBefore(time - LOOK_BACK_MS)
  }

  /** Whether live calls need the names of processes soon. */
  setLive(live: boolean): void {
    if (this.#closed || process.platform !== 'linux') return
    clearInterval(this.#reading)
    const often = this.#watch ? READ_MS[live ? 'live' : 'dormant'] : POLL_MS
    this.#reading = setInterval(() => (this.#watch ? this.#read() : this.#poll()), often).unref()
  }

  close(): void {
    clearInterval(this.#reading)
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
    this.#read()
    this.#closed = true
    this.#watch?.close()
    this.#watch = undefined
    this.#log.close()
  }

  /** Loads ownership events of earlier runs: their packets may still be queried. */
  async #recall(): Promise<void> {
    for await (const text of this.#log.texts())
      eachLine(text, (start, end) => {
        const event = fromLine(text, start, end)
        if (event && ownershipTypes.has(event.type)) this.#remember([event])
      })
  }

  async #start(): Promise<void> {
    await this.#recall()
    if (process.platform !== 'linux') {
      this.reason = `Process events are recorded on Linux only; this is ${process.platform}.`
      return
    }
    try {
      this.#watch = KernelWatch.open(await loadSystemCalls())
    } catch (error) {
      this.reason = noWatchReason(error)
    }
    this.#processes.learn(pids())
    this.setLive(false)
    this.#timers = [setInterval(() => void this.#scan(), this.#watch ? SCAN_MS : POLLED_SCAN_MS).unref()]
    await this.#scan()
  }

  #read(): void {
    const events: RecordedEvent[] = []
    this.#watch?.read((record) => {
      const event = this.#eventOf(record)
      if (event) events.push(event)
    })
    this.#append(events)
  }

  #eventOf(record: KernelRecord): RecordedEvent | undefined {
    const { what, ts, pid, uid, comm, exitCode, local, remote } = record
    if (what === 'exec') {
      this.#processes.started(pid, comm)
      if (!this.#ofProcesses.take(Date.now())) return undefined
      return this.#event(ts, 'process_start', { pid, uid, ...this.#details(pid), comm })
    }
    if (what === 'exit') {
      const known = this.#processes.ended(pid)
      if (known === undefined || !this.#ofProcesses.take(Date.now())) return undefined
      return this.#event(ts, 'process_exit', { pid, comm: known, ...outcome(exitCode) })
    }
    if (pid === process.pid || local === undefined || local.port === 0) return undefined
    const netns = this.#processes.network(pid)
    const elsewhere = netns !== undefined && netns !== this.#ownNetwork
    // Loopback packets of another network namespace are never captured.
    if (elsewhere && (local.ip.startsWith('127.') || local.ip === '::1')) return undefined
    if (!this.#ofConnections.take(Date.now())) return undefined
    const here = `${local.ip}:${local.port}`
    const ips = what === 'listen' ? listensAt(here, pid) : undefined
    return this.#event(ts, what === 'listen' ? 'listen_open' : 'connection_open', {
      pid,
      comm: this.#processes.name(pid) ?? comm,
      transport: 'tcp',
      local: here,
      ...(remote && { remote: `${remote.ip}:${remote.port}` }),
      ...(ips && { ips }),
      ...(elsewhere && { netns }),
    })
  }

  #details(pid: number) {
    return processDetails(pid, this.#options.shownArgument)
  }

  /** Without kernel tracing: compares the current processes with those of the last poll. */
  #poll(): void {
    const now = Date.now()
    const { started, ended } = this.#processes.learn(pids())
    const events: RecordedEvent[] = []
    for (const pid of started)
      if (this.#ofProcesses.take(now))
        events.push(this.#event(now, 'process_start', { pid, ...this.#details(pid) }))
    for (const { pid, comm } of ended)
      if (this.#ofProcesses.take(now)) events.push(this.#event(now, 'process_exit', { pid, comm }))
    this.#append(events)
  }

  async #scan(): Promise<void> {
    if (this.#scanning) return
    this.#scanning = true
    try {
      const now = Date.now()
      const events = (await scanSockets())
        .filter(({ pid }) => pid !== process.pid && this.#ofConnections.take(Date.now()))
        .map((socket) => this.#found(socket, now))
      this.#append(events)
    } catch (error) {
      this.reason ??= `Sockets could not be scanned: ${error instanceof Error ? error.message : error}`
    } finally {
      this.#scanning = false
    }
  }

  /** A socket that was already open; its start is not known. */
  #found({ inode: _, ...socket }: OwnedSocket, ts: number): RecordedEvent {
    const type = socket.remote === undefined ? 'listen_open' : 'connection_open'
    return this.#event(ts, type, { comm: this.#processes.name(socket.pid) ?? '', ...socket, found: true })
  }

  #event(ts: number, type: string, more: object): RecordedEvent {
    return { ts, kind: 'os', type, node: this.#options.node, ...more }
  }

  #append(events: readonly RecordedEvent[]): void {
    if (events.length === 0 || this.#closed) return
    this.#log.append(events)
    const owned = events.filter(({ type }) => ownershipTypes.has(type))
    if (owned.length === 0) return
    this.#remember(owned)
    this.#options.owned(owned)
  }

  #remember(owned: readonly RecordedEvent[]): void {
    this.#recent.push(...owned)
    if (this.#recent.length > 2 * MAX_RECENT) this.#recent = this.#recent.slice(-MAX_RECENT)
  }
}

/** The line including its newline, with secrets removed: earlier versions recorded them in command lines. */
function scrubbedLine(text: Buffer, start: number, end: number): Buffer {
  const line = text.subarray(start, end + 1)
  if (!line.includes('"cmdline":')) return line
  const event = fromLine(text, start, end)
  if (typeof event?.cmdline !== 'string') return line
  return Buffer.from(toLine({ ...event, cmdline: scrubCommandLine(event.cmdline) }))
}

/** Decodes the status of `wait`: the exit code, or the signal. */
function outcome(exitCode: number | undefined): { code?: number; signal?: number } {
  if (exitCode === undefined) return {}
  const signal = exitCode & 127
  return signal === 0 ? { code: (exitCode >> 8) & 255 } : { signal }
}
