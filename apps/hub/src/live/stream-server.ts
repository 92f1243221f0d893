import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem, type StreamMessage } from '@tapdeck/api'
import type { Redactor } from '@tapdeck/redact'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import { nodeReports } from '../cluster/node-reports.ts'
import type { Workers } from '../cluster/workers.ts'
import { queryOf } from '../input/read-input.ts'
import type { Log } from '../log.ts'
import type { Switchboard } from '../switch/switchboard.ts'
import type { LiveSubscriptions } from './live-subscriptions.ts'
import { Session } from './session.ts'

type Changed = Extract<StreamMessage, { kind: 'changed' }>['what']

/** A filter with every character escaped. */
const MAX_MESSAGE = 64 * 1024
const MAX_SESSIONS = 10_000
const TICK_MS = 1000
/** How often credentials of open streams are looked at: one that is revoked ends them within a second. */
const LOOK_EVERY_MS = 500
const PING_EVERY = 5
const DEAD_AFTER_MS = 10_000
const GATHER_CHANGES_MS = 100
const GATHER_REFRESHES_MS = 50

export interface StreamServerOptions {
  readonly workers: Workers
  readonly switchboard: Switchboard
  readonly subscriptions: LiveSubscriptions
  readonly log: Log
  /** What a caller asks for when it filters so. Throws where a filter is wrong. */
  readonly narrow: (kfl: string, caller: Caller) => string
  /** What a caller's calls go through before they are sent; undefined: they are sent as they are. */
  readonly show: (caller: Caller) => Redactor | undefined
  /** Whether a caller's credential still holds. */
  readonly isCredentialValid: (caller: Caller) => boolean
  /** `from`: the address of the caller. */
  readonly audit: (what: string, caller: Caller, from: string, kfl: string) => void
  readonly toProblem: (error: unknown) => Readonly<Record<string, unknown>>
}

/** The dashboards' streams: the switch at every change, the nodes every second, and the calls each one filters. */
export class StreamServer {
  readonly #options: StreamServerOptions
  readonly #sessions = new Set<Session>()
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
  })
  readonly #ticker: NodeJS.Timeout
  readonly #looker: NodeJS.Timeout
  readonly #changed = new Map<Changed, NodeJS.Timeout>()
  #refresh: NodeJS.Timeout | undefined
  #ticks = 0
  #refusedMessages = 0
  #others = 0

  constructor(options: StreamServerOptions) {
    this.#options = options
    options.switchboard.on('change', () => this.#sendSwitch())
    // Each dashboard that comes or goes is a refresh: many of them are sent as one.
    options.switchboard.on('refresh', () => {
      this.#refresh ??= setTimeout(() => this.#sendSwitch(), GATHER_REFRESHES_MS).unref()
    })
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref()
    this.#looker = setInterval(() => this.#expel(), LOOK_EVERY_MS).unref()
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** Messages that came faster than a session may send them. */
  get refusedMessages(): number {
    return this.#refusedMessages
  }

  /** The caller's rights and origin have been checked. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    if (this.#sessions.size >= MAX_SESSIONS)
      throw new Problem(503, 'too_many_streams', `Too many dashboard streams (max ${MAX_SESSIONS})`)
    const parameters = queryOf(request.url ?? '/')
    const from = request.socket.remoteAddress ?? ''
    this.#sockets.handleUpgrade(request, socket, head, (stream) =>
      this.#welcome(stream, parameters, caller, from),
    )
  }

  /** Snapshots, dissections, recordings or agents changed. Many changes in a moment are sent once. */
  changed(what: Changed): void {
    if (this.#changed.has(what)) return
    const send = () => {
      this.#changed.delete(what)
      this.#broadcast({ kind: 'changed', what }, false)
    }
    this.#changed.set(what, setTimeout(send, GATHER_CHANGES_MS).unref())
  }

  close(): void {
    clearInterval(this.#ticker)
    clearInterval(this.#looker)
    clearTimeout(this.#refresh)
    for (const timer of this.#changed.values()) clearTimeout(timer)
    for (const stream of this.#sockets.clients) stream.close(1001)
    setTimeout(() => {
      for (const stream of this.#sockets.clients) stream.terminate()
    }, 500).unref()
    this.#sockets.close()
  }

  #welcome(stream: WebSocket, parameters: URLSearchParams, caller: Caller, from: string): void {
    const { subscriptions, narrow, show, toProblem, audit } = this.#options
    const session = new Session(
      stream,
      {
        subscriptions,
        caller,
        narrow: (kfl) => narrow(kfl, caller),
        redactor: () => show(caller),
        filtered: (kfl) => audit('stream_filter', caller, from, kfl),
        toProblem,
        activity: () => this.#count(),
      },
      performance.now(),
    )
    this.#sessions.add(session)
    stream.on('pong', () => session.heard(performance.now()))
    stream.on('message', (data: Buffer) => {
      const now = performance.now()
      session.heard(now)
      if (!session.take(data, now)) this.#refusedMessages++
    })
    stream.on('error', (error) => this.#options.log.debug({ err: error }, 'dashboard stream failed'))
    stream.on('close', () => {
      this.#sessions.delete(session)
      session.close()
    })
    session.send(this.#switchMessage(), false)
    session.send(this.#nodesMessage(caller), false)
    session.open(parameters.get('kfl') ?? '', parameters.get('paused') === '1')
  }

  /** Open streams of live calls elsewhere: they are activity like those of dashboards. */
  countOthers(streams: number): void {
    this.#others = streams
    this.#count()
  }

  #count(): void {
    let streaming = this.#others
    for (const session of this.#sessions) if (session.streaming) streaming++
    this.#options.switchboard.count('dashboards', streaming)
  }

  #tick(): void {
    const now = performance.now()
    const pingNow = ++this.#ticks % PING_EVERY === 0
    const all = this.#sessions.size > 0 ? this.#nodesMessage() : ''
    for (const session of [...this.#sessions]) {
      if (now - session.lastSeen > DEAD_AFTER_MS) session.drop()
      else {
        if (pingNow) session.ping()
        session.reportSkipped()
        session.send(session.caller.namespaces === '*' ? all : this.#nodesMessage(session.caller), true)
      }
    }
  }

  #expel(): void {
    for (const session of [...this.#sessions])
      if (!this.#options.isCredentialValid(session.caller)) {
        this.#sessions.delete(session)
        session.expel()
      }
  }

  #sendSwitch(): void {
    clearTimeout(this.#refresh)
    this.#refresh = undefined
    const json = this.#switchMessage()
    for (const session of [...this.#sessions]) session.send(json, false)
  }

  #broadcast(message: StreamMessage, comesAgain: boolean): void {
    const json = JSON.stringify(message)
    for (const session of [...this.#sessions]) session.send(json, comesAgain)
  }

  #switchMessage(): string {
    return JSON.stringify({
      kind: 'switch',
      state: this.#options.switchboard.state,
    } satisfies StreamMessage)
  }

  #nodesMessage(caller?: Caller): string {
    const whole = caller === undefined || scopeOf(caller) === undefined
    return JSON.stringify({
      kind: 'nodes',
      nodes: nodeReports(this.#options.workers, whole),
    } satisfies StreamMessage)
  }
}
