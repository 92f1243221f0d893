import type { Call, Message } from '@tapdeck/dissect'
import { connectionOf, type HeldCall, holdCall, releaseCall } from './held-call.ts'

/** More than a node has open at one time. Responses beyond the bounds are emitted at once, as partial calls. */
const MAX_RESPONSES = 10_000
const MAX_BYTES = 16 * 1024 * 1024

interface HeldResponse extends HeldCall {
  readonly span: Span
}

/** Times of the first and the last byte. */
type Span = Pick<Message, 'start' | 'end'>

interface ConnectionState {
  /** Responses that live indexing saw without their requests. */
  readonly held: HeldResponse[]
  /** Responses of calls that the backfill has indexed whole. */
  readonly indexed: Span[]
}

/**
 * Joins live indexing and backfill. A call that is open when a period of indexing begins is seen by both: live indexing
 * sees its response, the backfill sees its request and mostly the response too. This indexes it once.
 */
export class BackfillDeduplicator {
  readonly #emit: (call: Call) => void
  readonly #connections = new Map<string, ConnectionState>()
  #responses = 0
  #bytes = 0
  #isFinished = false

  /** `emit` gets the held responses for which the backfill found no request. */
  constructor(emit: (call: Call) => void) {
    this.#emit = emit
  }

  /** Takes a call of live indexing. Returns false if the caller has to emit it now. */
  hold(call: Call): boolean {
    if (call.request !== undefined || call.response === undefined || call.missing !== 'midstream')
      return false
    const { response } = call
    const indexed = this.#connections.get(connectionOf(call))?.indexed
    const at = indexed?.findIndex((span) => isSame(span, response)) ?? -1
    if (at < 0) return !this.#isFinished && this.#keep(call, response)
    indexed!.splice(at, 1)
    this.#responses--
    return true
  }

  /** The backfill indexed this call: drop its response, held now or seen later by live indexing. */
  indexed(call: Call): void {
    const { response } = call
    if (response === undefined) return
    const held = this.#connections.get(connectionOf(call))?.held
    const at = held?.findIndex(({ span }) => isSame(span, response)) ?? -1
    if (at >= 0) {
      const [answer] = held!.splice(at, 1)
      this.#release(answer)
    } else if (this.#responses < MAX_RESPONSES) {
      this.#connection(call).indexed.push({ start: response.start, end: response.end })
      this.#responses++
    }
  }

  /** The backfill has ended, or there is none: emits all held responses, and holds no more. */
  finish(): void {
    this.#isFinished = true
    for (const { held } of this.#connections.values())
      for (const response of held.splice(0)) this.#emit(this.#release(response))
  }

  #connection(call: Call): ConnectionState {
    const key = connectionOf(call)
    let connection = this.#connections.get(key)
    if (!connection) {
      connection = { held: [], indexed: [] }
      this.#connections.set(key, connection)
    }
    return connection
  }

  #keep(call: Call, { start, end }: Span): boolean {
    if (this.#responses >= MAX_RESPONSES || this.#bytes >= MAX_BYTES) return false
    const held = { ...holdCall(call), span: { start, end } }
    this.#connection(call).held.push(held)
    this.#responses++
    this.#bytes += held.exchange.length
    return true
  }

  #release(held: HeldResponse): Call {
    this.#responses--
    this.#bytes -= held.exchange.length
    return releaseCall(held)
  }
}

/** One of the two may be cut: by the start of live indexing, or by the end of the recording. */
function isSame(a: Span, b: Span): boolean {
  return a.start === b.start || a.end === b.end
}
