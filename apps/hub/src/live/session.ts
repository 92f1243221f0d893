import { Problem, SkippedCalls, type StreamMessage } from '@tapdeck/api'
import type { Redactor } from '@tapdeck/redact'
import type { WebSocket } from 'ws'
import type { Caller } from '../access/caller.ts'
import type { Batch, LiveSubscriptions } from './live-subscriptions.ts'
import { MessageRate } from './message-rate.ts'
import { streamRequest } from './stream-request.ts'

export interface SessionOptions {
  readonly subscriptions: LiveSubscriptions
  /** What is asked for when this session filters so: the filter, of what the caller may see. Throws where it is wrong. */
  readonly narrow: (kfl: string) => string
  readonly caller: Caller
  /** For a caller who sees calls redacted. */
  readonly redactor: () => Redactor | undefined
  /** Told of each filter that comes into force. */
  readonly filtered: (kfl: string) => void
  readonly toProblem: (error: unknown) => Readonly<Record<string, unknown>>
  /** Called when the session starts or stops to count as activity. */
  readonly activity: () => void
}

/** Bytes waiting to be read by the browser: above the first, calls are skipped; above the second, it is given up. */
const BUSY = 1024 * 1024
const HOPELESS = 8 * 1024 * 1024

/** One dashboard's stream. It streams while it is open and not paused; a reader that is too slow misses calls, counted. */
export class Session {
  readonly #socket: WebSocket
  readonly #options: SessionOptions
  readonly #reader = (batch: Batch) => this.#calls(batch)
  /** What is asked for: never the caller's filter as it is. */
  #asked: string
  #streaming = false
  #isExpelled = false
  readonly #skipped = new SkippedCalls()
  #seen: number
  readonly #rate: MessageRate

  constructor(socket: WebSocket, options: SessionOptions, now: number) {
    this.#socket = socket
    this.#options = options
    this.#asked = options.narrow('')
    this.#seen = now
    this.#rate = new MessageRate(now)
  }

  get caller(): Caller {
    return this.#options.caller
  }

  /** Whether it counts as activity. */
  get streaming(): boolean {
    return this.#streaming
  }

  get lastSeen(): number {
    return this.#seen
  }

  open(kfl: string, paused: boolean): void {
    this.#attempt(() => this.#filter(kfl))
    if (!paused) this.#stream(true)
  }

  heard(now: number): void {
    this.#seen = now
  }

  /** Returns whether the message was read: what comes too fast is refused unread. */
  take(data: Buffer, now: number): boolean {
    if (this.#isExpelled) return false
    const verdict = this.#rate.take(now)
    if (verdict === 'close') this.#socket.close(1008, 'too many messages')
    if (verdict === 'report') this.#attempt(tooManyMessages)
    if (verdict !== 'accept') return false
    this.#attempt(() => {
      const request = streamRequest(data.toString())
      if (request.kind === 'filter') this.#filter(request.kfl)
      else this.#stream(request.kind === 'resume')
    })
    return true
  }

  /** Small messages to all sessions, encoded once. A slow reader skips those that are repeated anyway. */
  send(json: string, comesAgain: boolean): void {
    if (comesAgain && this.#socket.bufferedAmount > BUSY) return
    if (this.#socket.bufferedAmount > HOPELESS) this.#socket.terminate()
    else this.#socket.send(json)
  }

  /** Reports calls that were skipped, when the reader reads again: there may be no call that brings it. */
  reportSkipped(): void {
    if (this.#skipped.count === 0 || this.#socket.bufferedAmount > BUSY) return
    this.#send({ kind: 'calls', calls: [], ...this.#skipped.take() })
  }

  ping(): void {
    this.#socket.ping()
  }

  drop(): void {
    this.#socket.terminate()
  }

  /** The caller's credential has ended: nothing more is sent, whatever the other side does. */
  expel(): void {
    this.#stream(false)
    this.#isExpelled = true
    this.#socket.close(4401, 'The credential has expired or was revoked')
    setTimeout(() => this.#socket.terminate(), 500).unref()
  }

  close(): void {
    this.#stream(false)
  }

  #attempt(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#send({ kind: 'problem', problem: this.#options.toProblem(error) })
    }
  }

  #filter(kfl: string): void {
    const asked = this.#options.narrow(kfl)
    const { subscriptions } = this.#options
    if (this.#streaming) {
      subscriptions.leave(this.#asked, this.#reader)
      subscriptions.read(asked, this.#reader)
    }
    this.#asked = asked
    this.#options.filtered(kfl)
    this.#skipped.take()
    this.#send({ kind: 'filtered', kfl })
  }

  #stream(on: boolean): void {
    if (on === this.#streaming) return
    this.#streaming = on
    if (on) this.#skipped.take()
    if (on) this.#options.subscriptions.read(this.#asked, this.#reader)
    else this.#options.subscriptions.leave(this.#asked, this.#reader)
    this.#options.activity()
  }

  #calls(batch: Batch): void {
    this.#skipped.add(batch)
    if (this.#socket.bufferedAmount > BUSY) {
      this.#skipped.addCalls(batch.calls)
      return
    }
    const redactor = this.#options.redactor()
    const calls = redactor ? JSON.stringify(redactor.presented(JSON.parse(batch.json))) : batch.json
    const skipped = JSON.stringify(this.#skipped.take()).slice(1)
    this.#socket.send(`{"kind":"calls","calls":${calls},${skipped}`)
  }

  #send(message: StreamMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message))
  }
}

function tooManyMessages(): never {
  const detail = `Too many messages (max ${MessageRate.limit} per second); some were ignored`
  throw new Problem(429, 'too_many_messages', detail, {
    limit: MessageRate.limit,
    hint: 'Send a filter when it is complete, not at every keystroke.',
  })
}
