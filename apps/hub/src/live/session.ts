import type { StreamMessage } from '@tapdeck/api'
import type { WebSocket } from 'ws'
import type { Batch, Feeds } from './feeds.ts'
import { streamRequest } from './stream-request.ts'

export interface SessionOptions {
  readonly feeds: Feeds
  /** Throws where a filter is wrong. */
  readonly checkFilter: (kfl: string) => void
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
  #kfl = ''
  #streaming = false
  #skipped = 0
  #seen: number

  constructor(socket: WebSocket, options: SessionOptions, now: number) {
    this.#socket = socket
    this.#options = options
    this.#seen = now
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

  take(text: string): void {
    this.#attempt(() => {
      const request = streamRequest(text)
      if (request.kind === 'filter') this.#filter(request.kfl)
      else this.#stream(request.kind === 'resume')
    })
  }

  /** Small things that everybody is told: written once for all sessions. A busy reader misses what comes again anyhow. */
  tell(json: string, comesAgain: boolean): void {
    if (comesAgain && this.#socket.bufferedAmount > BUSY) return
    if (this.#socket.bufferedAmount > HOPELESS) this.#socket.terminate()
    else this.#socket.send(json)
  }

  ping(): void {
    this.#socket.ping()
  }

  drop(): void {
    this.#socket.terminate()
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
    this.#options.checkFilter(kfl)
    const { feeds } = this.#options
    if (this.#streaming) {
      feeds.leave(this.#kfl, this.#reader)
      feeds.read(kfl, this.#reader)
    }
    this.#kfl = kfl
    this.#skipped = 0
    this.#send({ kind: 'filtered', kfl })
  }

  #stream(on: boolean): void {
    if (on === this.#streaming) return
    this.#streaming = on
    this.#skipped = 0
    if (on) this.#options.feeds.read(this.#kfl, this.#reader)
    else this.#options.feeds.leave(this.#kfl, this.#reader)
    this.#options.activity()
  }

  #calls({ json, count, skipped }: Batch): void {
    if (this.#socket.bufferedAmount > BUSY) {
      this.#skipped += count + skipped
      return
    }
    this.#socket.send(`{"kind":"calls","calls":${json},"skipped":${skipped + this.#skipped}}`)
    this.#skipped = 0
  }

  #send(message: StreamMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message))
  }
}
