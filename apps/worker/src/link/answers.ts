import { type HubMessage, Problem, type WorkerRequests } from '@tapdeck/api'
import { handOver, NoRoom, NotLinkable, WindowReader } from '@tapdeck/recording'
import type { Parts } from '../parts.ts'
import { Credit } from './credit.ts'
import { sharedFolder } from './shared-folder.ts'

type Request = Extract<HubMessage, { kind: 'request' }>

const MAX_WINDOWS = 32
const PIECE = 1 << 20

/** Where answers go. */
export interface AnswerSink {
  /** `result` is JSON already. */
  answer(id: number, result: string): void
  failure(id: number, problem: Problem): void
  piece(id: number, bytes: Uint8Array): Promise<void>
}

interface Stream {
  readonly credit: Credit
  readonly abort: AbortController
}

/** Answers what the hub asks, out of the capture and the live thread. */
export class Answers {
  readonly #parts: Parts
  readonly #sink: AnswerSink
  readonly #snapshots: string
  readonly #streams = new Map<number, Stream>()
  readonly #searches = new Map<number, AbortController>()
  #handing = 0
  /** How many connections were lost. A hub numbers its questions anew on each. */
  #lost = 0

  /** `snapshots` is where a hub on this machine keeps them. */
  constructor(parts: Parts, sink: AnswerSink, snapshots: string) {
    this.#parts = parts
    this.#sink = sink
    this.#snapshots = snapshots
  }

  take(message: HubMessage): void {
    if (message.kind === 'credit') this.#streams.get(message.id)?.credit.grant(message.bytes)
    else if (message.kind === 'cancel') {
      this.#streams.get(message.id)?.abort.abort()
      this.#searches.get(message.id)?.abort()
    } else if (message.kind === 'request') void this.#answer(message)
  }

  /** Nobody waits any more. */
  async drop(): Promise<void> {
    this.#lost++
    for (const { abort } of this.#streams.values()) abort.abort()
    for (const search of this.#searches.values()) search.abort()
    await this.#parts.forgetSubscriptions()
  }

  /** What was asked on a connection that is over is not answered on the next: the id is that of another question there. */
  async #answer(message: Request): Promise<void> {
    const lost = this.#lost
    try {
      const result = await this.#result(message)
      if (lost === this.#lost) this.#sink.answer(message.id, result)
    } catch (error) {
      if (lost === this.#lost) this.#sink.failure(message.id, toProblem(error))
    }
  }

  async #result(message: Request): Promise<string> {
    const { live, capture } = this.#parts
    switch (message.request) {
      case 'indexing':
        await this.#parts.setIndexing(message.input.enabled)
        return JSON.stringify({ enabled: message.input.enabled })
      case 'inventory':
        await this.#parts.setInventory(message.input.inventory)
        return '{}'
      case 'capture_filter':
        await capture.ask('filter', message.input.expression)
        return '{}'
      case 'boundaries':
        return JSON.stringify((await capture.ask('status', undefined)).boundaries)
      case 'subscribe':
        await live.ask('subscribe', message.input)
        return '{}'
      case 'unsubscribe':
        await live.ask('unsubscribe', message.input)
        return '{}'
      case 'hand_over':
        return JSON.stringify(await this.#handOver(message.input))
      case 'window':
        return JSON.stringify(await this.#window(message.id, message.input))
      case 'events':
        return JSON.stringify(await (await this.#parts.events()).find(message.input))
      case 'event_window':
        return JSON.stringify(await this.#eventWindow(message.id, message.input))
      case 'rewind':
        return this.#search(message.id, (signal) => this.#parts.rewind.calls(message.input, signal))
      case 'rewind_call':
        return this.#search(message.id, (signal) => this.#parts.rewind.call(message.input, signal))
      case 'calls':
      case 'call':
      case 'count':
      case 'stats':
      case 'values':
      case 'flows':
      case 'summary':
        return live.ask('query', { name: message.request, input: message.input })
      default:
        throw new Problem(
          400,
          'unknown_request',
          'this worker is older than the hub and does not know the request',
        )
    }
  }

  async #eventWindow(
    id: number,
    { start, end }: WorkerRequests['event_window']['input'],
  ): Promise<WorkerRequests['event_window']['output']> {
    const events = await this.#parts.events()
    const stream: Stream = { credit: new Credit(), abort: new AbortController() }
    this.#streams.set(id, stream)
    try {
      let count = 0
      for await (const piece of events.window(start, end)) {
        count += piece.count
        for (let at = 0; at < piece.lines.length; at += PIECE) {
          const bytes = piece.lines.subarray(at, at + PIECE)
          await stream.credit.take(bytes.length, stream.abort.signal)
          await this.#sink.piece(id, bytes)
        }
      }
      return { count }
    } finally {
      if (this.#streams.get(id) === stream) this.#streams.delete(id)
    }
  }

  /** Something that is worth being left when nobody waits for it any more. */
  async #search(id: number, search: (signal: AbortSignal) => Promise<string>): Promise<string> {
    const abort = new AbortController()
    this.#searches.set(id, abort)
    try {
      return await search(abort.signal)
    } finally {
      if (this.#searches.get(id) === abort) this.#searches.delete(id)
    }
  }

  async #handOver({
    start,
    end,
    folder,
    max_bytes: maxBytes,
  }: WorkerRequests['hand_over']['input']): Promise<WorkerRequests['hand_over']['output']> {
    const shared = sharedFolder(this.#snapshots, folder)
    if (shared === undefined) throw new Problem(409, 'not_shared', 'this worker sees no such folder')
    this.#demandTurn()
    this.#handing++
    try {
      const { parts, oldest } = await this.#parts.capture.ask('hold', { start, end })
      return await handOver(parts, { start, end, oldest, maxBytes }, shared)
    } catch (error) {
      if (error instanceof NotLinkable) throw new Problem(409, 'not_shared', error.message)
      if (error instanceof NoRoom) throw new Problem(507, 'no_room', error.message)
      throw error
    } finally {
      this.#handing--
    }
  }

  #demandTurn(): void {
    if (this.#streams.size + this.#handing >= MAX_WINDOWS)
      throw new Problem(503, 'worker_busy', `${MAX_WINDOWS} windows are being read already`)
  }

  async #window(
    id: number,
    { start, end, parties }: WorkerRequests['window']['input'],
  ): Promise<WorkerRequests['window']['output']> {
    this.#demandTurn()
    const stream: Stream = { credit: new Credit(), abort: new AbortController() }
    this.#streams.set(id, stream)
    try {
      const { parts, oldest } = await this.#parts.capture.ask('hold', { start, end })
      const reader = new WindowReader(parts, start, end, oldest, parties)
      for await (const chunk of reader) {
        await stream.credit.take(chunk.length, stream.abort.signal)
        await this.#sink.piece(id, chunk)
      }
      return reader.result
    } finally {
      if (this.#streams.get(id) === stream) this.#streams.delete(id)
    }
  }
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(500, 'internal', error instanceof Error ? error.message : String(error))
}
