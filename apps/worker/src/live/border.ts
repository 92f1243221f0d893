import { type Call, type Message, packExchange, unpackExchange } from '@tapdeck/dissect'

/** More than any moment of a node has under way. What comes beyond is told at once. */
const MOST_ANSWERS = 10_000
const MOST_BYTES = 16 * 1024 * 1024

interface Answer {
  /** Without its halves. */
  readonly call: Call
  /** They: what the engine hands out lasts no longer than the packets it came in. */
  readonly exchange: Uint8Array
  readonly span: Span
}

/** Times of its first and its last byte. */
type Span = Pick<Message, 'start' | 'end'>

/** What is known of a connection. */
interface Crossing {
  /** Answers that wait for their requests. */
  readonly answers: Answer[]
  /** Of answers that were told with their requests. */
  readonly told: Span[]
}

/**
 * Calls under way when a period of indexing begins. Live indexing sees their answers, and who reads what was recorded
 * before sees their requests and, mostly, their answers as well. They are to be told once.
 */
export class Border {
  readonly #tell: (call: Call) => void
  readonly #crossings = new Map<string, Crossing>()
  #answers = 0
  #bytes = 0
  #isRead = false

  /** `tell` gets the answers that waited in vain. */
  constructor(tell: (call: Call) => void) {
    this.#tell = tell
  }

  /** A call of live indexing. False: it is to be told now. */
  take(call: Call): boolean {
    if (call.request !== undefined || call.response === undefined || call.missing !== 'midstream')
      return false
    const { response } = call
    const told = this.#crossings.get(connectionOf(call))?.told
    const at = told?.findIndex((span) => isSame(span, response)) ?? -1
    if (at < 0) return !this.#isRead && this.#keep(call, response)
    told!.splice(at, 1)
    this.#answers--
    return true
  }

  /** A call from before was told: its answer, whenever live indexing brings it, is none of its own. */
  told(call: Call): void {
    const { response } = call
    if (response === undefined) return
    const waiting = this.#crossings.get(connectionOf(call))?.answers
    const at = waiting?.findIndex(({ span }) => isSame(span, response)) ?? -1
    if (at >= 0) {
      const [answer] = waiting!.splice(at, 1)
      this.#leave(answer)
    } else if (this.#answers < MOST_ANSWERS) {
      this.#crossing(call).told.push({ start: response.start, end: response.end })
      this.#answers++
    }
  }

  /** All that was recorded before is read, or nobody reads it: what waits is told by itself, and nothing waits any longer. */
  read(): void {
    this.#isRead = true
    for (const { answers } of this.#crossings.values())
      for (const answer of answers.splice(0)) this.#tell(this.#leave(answer))
  }

  #crossing(call: Call): Crossing {
    const connection = connectionOf(call)
    let crossing = this.#crossings.get(connection)
    if (!crossing) {
      crossing = { answers: [], told: [] }
      this.#crossings.set(connection, crossing)
    }
    return crossing
  }

  #keep(call: Call, { start, end }: Span): boolean {
    if (this.#answers >= MOST_ANSWERS || this.#bytes >= MOST_BYTES) return false
    const exchange = packExchange(call).slice()
    this.#crossing(call).answers.push({ call: withoutHalves(call), exchange, span: { start, end } })
    this.#answers++
    this.#bytes += exchange.length
    return true
  }

  #leave({ call, exchange }: Answer): Call {
    this.#answers--
    this.#bytes -= exchange.length
    return { ...call, ...unpackExchange(call.protocol, exchange) }
  }
}

/** One of both may have been cut off: by the begin of what live indexing saw, or by the end of what was recorded. */
function isSame(a: Span, b: Span): boolean {
  return a.start === b.start || a.end === b.end
}

function withoutHalves({ flow, ordinal, protocol, side, start, end, missing, summary }: Call): Call {
  const { method, path, status, failure } = summary
  return { flow, ordinal, protocol, side, start, end, missing, summary: { method, path, status, failure } }
}

/** Whoever reads its packets, and whichever of its ends comes first there. */
function connectionOf({ flow: { transport, ends }, side }: Call): string {
  const asker = ends[side]
  const answerer = ends[side === 0 ? 1 : 0]
  return `${transport} ${asker.ip} ${asker.port} ${answerer.ip} ${answerer.port}`
}
