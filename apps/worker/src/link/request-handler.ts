import { type HubEnvelope, Problem, type WorkerRequests } from '@tapdeck/api'
import { InventoryError } from '@tapdeck/inventory'
import type { OwnAgents } from '@tapdeck/own-ports'
import { handOver, NotLinkable, OutOfSpace, WindowReader } from '@tapdeck/recording'
import type { SealingKeys } from '../keys/sealed-key-log.ts'
import { closeParts, InterruptedWindows } from '../upload/interrupted-windows.ts'
import { WindowUploads } from '../upload/window-uploads.ts'
import type { WorkerServices } from '../worker-services.ts'
import { Credit } from './credit.ts'
import { type HubRequest, readRequest } from './read-request.ts'
import { ResumedBytes } from './resumed-bytes.ts'
import { sharedFolder } from './shared-folder.ts'

const MAX_WINDOWS = 32
const PIECE = 1 << 20

/** Sends answers to the hub. */
export interface AnswerSink {
  /** `result` is JSON text. */
  answer(id: number, result: string): void
  failure(id: number, problem: Problem): void
  piece(id: number, bytes: Uint8Array): Promise<void>
}

export interface RequestHandlerOptions {
  readonly services: WorkerServices
  readonly sink: AnswerSink
  /** The folder in which a hub on this machine keeps its snapshots. */
  readonly snapshots: string
  /** Throws if there is none. */
  credential(): string
  /** For the connections to an object storage. */
  readonly uploads: OwnAgents
}

interface Stream {
  readonly credit: Credit
  readonly abort: AbortController
}

/** Answers the requests of the hub with the help of the worker's threads. */
export class RequestHandler {
  readonly #services: WorkerServices
  readonly #sink: AnswerSink
  readonly #snapshots: string
  readonly #credential: () => string
  readonly #streams = new Map<number, Stream>()
  readonly #searches = new Map<number, AbortController>()
  readonly #interrupted = new InterruptedWindows()
  readonly #uploads: WindowUploads
  #handOvers = 0
  /** Number of lost connections. The hub restarts its request ids with each connection. */
  #lost = 0

  constructor({ services, sink, snapshots, credential, uploads }: RequestHandlerOptions) {
    this.#services = services
    this.#sink = sink
    this.#snapshots = snapshots
    this.#credential = credential
    this.#uploads = new WindowUploads(
      (window) => services.capture.ask('hold', window),
      this.#interrupted,
      uploads,
    )
  }

  take(message: HubEnvelope): void {
    if (message.kind === 'credit') this.#streams.get(message.id)?.credit.grant(message.bytes)
    else if (message.kind === 'cancel') {
      this.#streams.get(message.id)?.abort.abort()
      this.#searches.get(message.id)?.abort()
    } else if (message.kind === 'request') void this.#answer(message)
  }

  /** The connection is lost: aborts all requests. */
  async drop(): Promise<void> {
    this.#lost++
    for (const { abort } of this.#streams.values()) abort.abort()
    for (const search of this.#searches.values()) search.abort()
    this.#uploads.drop()
    await this.#services.forgetSubscriptions()
  }

  /** An answer is never sent on a later connection: its id may belong to another request there. */
  async #answer(message: Extract<HubEnvelope, { kind: 'request' }>): Promise<void> {
    const lost = this.#lost
    try {
      const result = await this.#result(readRequest(message))
      if (lost === this.#lost) this.#sink.answer(message.id, result)
    } catch (error) {
      if (lost === this.#lost) this.#sink.failure(message.id, toProblem(error))
    }
  }

  async #result(message: HubRequest): Promise<string> {
    const { live, capture } = this.#services
    switch (message.request) {
      case 'indexing':
        await this.#services.setIndexing(message.input.enabled)
        return JSON.stringify({ enabled: message.input.enabled })
      case 'inventory':
        await this.#services.setInventory(message.input.inventory)
        return '{}'
      case 'names':
        await this.#services.applyNames(message.input.delta, message.input.more === true)
        return '{}'
      case 'targets':
        await this.#services.setTargets(message.input)
        return '{}'
      case 'capture_filter':
        await capture.ask('filter', message.input.expression)
        return '{}'
      case 'credential_key':
        await this.#services.setCredentialKey(message.input.key)
        return '{}'
      case 'boundaries':
        return JSON.stringify({ ...(await capture.ask('status', undefined)).boundaries, now: Date.now() })
      case 'credential':
        return JSON.stringify({ credential: this.#credential() })
      case 'subscribe':
        await live.ask('subscribe', message.input)
        return '{}'
      case 'unsubscribe':
        await live.ask('unsubscribe', message.input)
        return '{}'
      case 'hand_over':
        return JSON.stringify(await this.#handOver(message.input))
      case 'upload':
        return JSON.stringify(await this.#upload(message.id, message.input))
      case 'window':
        return JSON.stringify(await this.#window(message.id, message.input))
      case 'events':
        return JSON.stringify(await (await this.#services.events()).find(message.input))
      case 'tls_keys':
        this.#services.keys?.setKeys(sealingKeys(message.input.keys))
        return '{}'
      case 'key_window':
        return JSON.stringify(await this.#keyWindow(message.id, message.input))
      case 'event_window':
        return JSON.stringify(await this.#eventWindow(message.id, message.input))
      case 'rewind':
        return this.#search(message.id, (signal) => this.#services.rewind.calls(message.input, signal))
      case 'rewind_call':
        return this.#search(message.id, (signal) => this.#services.rewind.call(message.input, signal))
      default:
        return live.ask('query', { name: message.request, input: message.input })
    }
  }

  async #eventWindow(
    id: number,
    { start, end }: WorkerRequests['event_window']['input'],
  ): Promise<WorkerRequests['event_window']['output']> {
    const events = await this.#services.events()
    return this.#stream(id, async (stream) => {
      let count = 0
      for await (const piece of events.window(start, end)) {
        count += piece.count
        await this.#send(id, stream, piece.lines)
      }
      return { count }
    })
  }

  #keyWindow(
    id: number,
    { start, end, after }: WorkerRequests['key_window']['input'],
  ): Promise<WorkerRequests['key_window']['output']> {
    return this.#stream(id, async (stream) => {
      let count = 0
      for (const piece of this.#services.keys?.window(start, end, after) ?? []) {
        count += piece.count
        await this.#send(id, stream, piece.bytes)
      }
      return { count }
    })
  }

  #upload(id: number, input: WorkerRequests['upload']['input']): Promise<WorkerRequests['upload']['output']> {
    return this.#stream(id, async (stream) => {
      const { answer, summary } = await this.#uploads.step(input, stream.abort.signal)
      for (const bytes of [summary?.sums, summary?.index]) if (bytes) await this.#send(id, stream, bytes)
      return answer
    })
  }

  /** Runs a request whose answer comes in pieces, and that the hub can cancel. */
  async #stream<Result>(id: number, work: (stream: Stream) => Promise<Result>): Promise<Result> {
    const stream: Stream = { credit: new Credit(), abort: new AbortController() }
    this.#streams.set(id, stream)
    try {
      return await work(stream)
    } finally {
      if (this.#streams.get(id) === stream) this.#streams.delete(id)
    }
  }

  async #send(id: number, { credit, abort }: Stream, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE)
      await credit.take(piece.length, abort.signal)
      await this.#sink.piece(id, piece)
    }
  }

  /** Runs a search that the hub can cancel. */
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
    if (shared === undefined)
      throw new Problem(409, 'not_shared', 'The worker does not share this folder with the hub')
    this.#requireFreeWindow()
    this.#handOvers++
    try {
      const { parts, oldest } = await this.#services.capture.ask('hold', { start, end })
      return await handOver(parts, { start, end, oldest, maxBytes }, shared)
    } catch (error) {
      if (error instanceof NotLinkable) throw new Problem(409, 'not_shared', error.message)
      if (error instanceof OutOfSpace) throw new Problem(507, 'no_room', error.message)
      throw error
    } finally {
      this.#handOvers--
    }
  }

  #requireFreeWindow(): void {
    if (this.#streams.size + this.#handOvers >= MAX_WINDOWS)
      throw new Problem(
        503,
        'worker_busy',
        `Too many windows are being read (max ${MAX_WINDOWS}). Retry in a few seconds.`,
      )
  }

  #window(
    id: number,
    { start, end, parties, from, count_only: isCounted }: WorkerRequests['window']['input'],
  ): Promise<WorkerRequests['window']['output']> {
    this.#requireFreeWindow()
    return this.#stream(id, async (stream) => {
      const kept = from && this.#interrupted.take(start, end)
      const held = kept ?? (await this.#services.capture.ask('hold', { start, end }))
      try {
        const reader = new WindowReader(held.parts, start, end, held.oldest, parties, { keepOpen: true })
        const bytes = new ResumedBytes(from)
        for await (const chunk of reader) {
          const rest = bytes.next(chunk)
          stream.abort.signal.throwIfAborted()
          if (!isCounted) await this.#send(id, stream, rest)
        }
        const result = { ...reader.result, sha256: bytes.end() }
        closeParts(held)
        return result
      } catch (error) {
        if (parties === undefined && stream.abort.signal.aborted) this.#interrupted.keep(start, end, held)
        else closeParts(held)
        throw error
      }
    })
  }
}

function sealingKeys(given: WorkerRequests['tls_keys']['input']['keys']): SealingKeys {
  const keys = given.map(({ id, key }) => ({ id, key: Buffer.from(key, 'hex') }))
  const [seal] = keys
  if (seal === undefined) throw new Problem(400, 'invalid_input', 'No key for TLS secrets was given')
  return { seal, open: new Map(keys.map(({ id, key }) => [id, key])) }
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InventoryError) return new Problem(400, 'invalid_inventory', error.message)
  return new Problem(500, 'internal', error instanceof Error ? error.message : String(error))
}
