import type { StreamMessage } from '@tapdeck/api'
import type { SwitchState } from '../client/hub.ts'
import { HubProblem } from '../client/hub-problem.ts'
import { CallFeed } from './call-feed.ts'
import type { CallSource, FetchPage } from './call-source.ts'
import { RateMeter } from './rate-meter.ts'
import { Store } from './store.ts'
import { type ConnectionState, type Socket, StreamSocket } from './stream-socket.ts'

export type NodeReport = Extract<StreamMessage, { kind: 'nodes' }>['nodes'][number]

export interface SessionOptions {
  readonly connect: (paused: boolean) => Socket
  readonly fetchPage: FetchPage
  /** Snapshots or dissections changed. */
  readonly onChanged: (what: 'snapshots' | 'dissections' | 'recordings' | 'agents') => void
  /** The hub could not do what the stream was asked for. */
  readonly onProblem: (problem: HubProblem) => void
}

/** The index shows new calls in batches; this long after a filter came into force it has those from before. */
const indexLagMs = 1500
/** A node that is too busy to answer is not asked more often than this. */
const askAgainMs = 5000

/** What this page knows of the running system, and the calls that it shows. One for the life of the page. */
export class Session {
  readonly connection = new Store<ConnectionState>({ kind: 'connecting', attempt: 0 })
  readonly switch = new Store<SwitchState | undefined>(undefined)
  /** The hub answers, by the stream or, where that is closed, when asked. */
  readonly isReachable = new Store(true)
  readonly nodes = new Store<readonly NodeReport[]>([])
  /** The time of the last lost connection, once it is back (Unix milliseconds), until the user closes the message. */
  readonly missed = new Store<{ readonly start: number; readonly end: number } | undefined>(undefined)
  /** Calls a second over all nodes. */
  readonly rate = new Store<number | undefined>(undefined)
  /** False while the user paused the stream. Only this page stops; indexing goes on. */
  readonly isStreaming = new Store(true)
  readonly feed: Store<CallFeed>
  readonly #options: SessionOptions
  readonly #socket: StreamSocket
  readonly #meter = new RateMeter()
  /** The filter that the hub said is in force; calls before that belong to an older one. */
  #inForce: string | undefined
  #askedAgainAt = Number.NEGATIVE_INFINITY
  #lag: ReturnType<typeof setTimeout> | undefined
  #lostAt: number | undefined

  constructor(source: CallSource, options: SessionOptions) {
    this.#options = options
    this.feed = new Store(new CallFeed(source, options.fetchPage))
    this.#socket = new StreamSocket({
      connect: () => options.connect(!this.#isWatching),
      onState: (state) => this.#connected(state),
      onMessage: (message) => this.#receive(message),
    })
  }

  /** `live`: the caller may watch the stream. Without, only dissections can be shown. */
  open(live: boolean): void {
    if (live) this.#socket.start()
    else this.connection.set({ kind: 'stopped' })
    const feed = this.feed.get()
    if (live || feed.db !== undefined) void feed.load()
  }

  close(): void {
    clearTimeout(this.#lag)
    this.#socket.stop()
    this.feed.get().dispose()
  }

  show(source: CallSource, live: boolean): void {
    const before = this.feed.get()
    const { db, kfl, start, end } = before
    if (db === source.db && kfl === source.kfl && start === source.start && end === source.end) return
    before.dispose()
    clearTimeout(this.#lag)
    const feed = new CallFeed(source, this.#options.fetchPage)
    this.feed.set(feed)
    if (live || feed.db !== undefined) void feed.load()
    this.#tellFilter()
    this.#tellActivity()
  }

  pauseStream(): void {
    this.isStreaming.set(false)
    clearTimeout(this.#lag)
    this.feed.get().breakOff()
    this.#tellActivity()
  }

  resumeStream(): void {
    this.isStreaming.set(true)
    this.#tellActivity()
    this.#catchUp()
  }

  retryNow(): void {
    this.#socket.retryNow()
  }

  #connected(state: ConnectionState): void {
    if (this.connection.get().kind === 'open' && state.kind !== 'open' && state.kind !== 'stopped')
      this.#lostAt ??= Date.now()
    this.connection.set(state)
    if (state.kind !== 'open') {
      this.#inForce = undefined
      this.rate.set(undefined)
      this.feed.get().breakOff()
      return
    }
    if (this.#lostAt !== undefined) this.missed.set({ start: this.#lostAt, end: Date.now() })
    this.#lostAt = undefined
    this.#tellFilter()
    this.#tellActivity()
    const feed = this.feed.get()
    if (feed.phase === 'failed' && feed.problem?.status === 0) void feed.load()
  }

  /** While the page shows a dissection or the past, live traffic is not watched: the hub need not send it or count it as activity. */
  #tellActivity(): void {
    this.#socket.send({ kind: this.#isWatching ? 'resume' : 'pause' })
  }

  get #isWatching(): boolean {
    return this.isStreaming.get() && this.feed.get().isLive
  }

  #tellFilter(): void {
    const feed = this.feed.get()
    if (!feed.isLive) return
    this.#inForce = undefined
    this.#socket.send({ kind: 'filter', kfl: feed.kfl })
  }

  #catchUp(): void {
    const feed = this.feed.get()
    if (!feed.isLive || !this.isStreaming.get()) return
    void feed.catchUp()
    clearTimeout(this.#lag)
    this.#lag = setTimeout(() => void feed.catchUp(), indexLagMs)
  }

  /** The hub had to refuse while no node was there to answer, or none in time; now there is one. */
  #askAgain(): void {
    const feed = this.feed.get()
    const now = performance.now()
    if (feed.problem?.status !== 503 || now - this.#askedAgainAt < askAgainMs) return
    this.#askedAgainAt = now
    if (feed.isLive && feed.list.length > 0) this.#catchUp()
    else void feed.load()
  }

  #receive(message: StreamMessage): void {
    const feed = this.feed.get()
    switch (message.kind) {
      case 'switch':
        this.switch.set(message.state)
        break
      case 'nodes': {
        this.nodes.set(message.nodes)
        if (message.nodes.some((node) => node.connected)) this.#askAgain()
        const calls = message.nodes.reduce((sum, node) => sum + node.calls, 0)
        this.rate.set(this.#meter.read(calls, performance.now()))
        break
      }
      case 'filtered':
        this.#inForce = message.kfl
        if (message.kfl === feed.kfl) this.#catchUp()
        break
      case 'calls':
        if (feed.isLive && this.#inForce === feed.kfl && this.isStreaming.get())
          feed.accept(message.calls, message)
        break
      case 'problem': {
        const status = typeof message.problem.status === 'number' ? message.problem.status : 400
        const problem = new HubProblem(status, message.problem)
        if (typeof message.problem.position === 'number' && feed.isLive) feed.fail(problem)
        else this.#options.onProblem(problem)
        break
      }
      case 'changed':
        this.#options.onChanged(message.what)
        break
    }
  }
}
