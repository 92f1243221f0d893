import { type LiveCall, SkippedCalls } from '@tapdeck/api'
import { conversationOf, MARGIN_US } from '../export/call-conversations.ts'
import { Conversations, type PacketTest } from '../export/conversations.ts'

/** A connection with matching calls. Unix microseconds. */
interface Connection {
  readonly call: LiveCall
  readonly node: string
  from: number
  until: number
  /** All its packets up to here were passed on. */
  sentUntil: number
}

/** Which packets of a node are due. Times are Unix milliseconds. */
export interface DuePackets {
  readonly start: number
  readonly end: number
  readonly parties: readonly (readonly number[])[]
  readonly test: PacketTest
  /** To be called when they were passed on. */
  sent(): void
}

/** Connections that are remembered. A later call of one that was forgotten may repeat some packets. */
const MAX_CONNECTIONS = 100_000
/** For the handshake of a decrypted connection, without which its secrets are of no use. */
const HANDSHAKE_US = 60_000_000
const MICROSECOND = 0.001

/** The connections of live calls of a filter, and up to when their packets were passed on. */
export class MatchedConnections {
  readonly skipped = new SkippedCalls()
  readonly #withKeys: boolean
  readonly #known = new Map<string, Connection>()

  constructor(withKeys: boolean) {
    this.#withKeys = withKeys
  }

  add(calls: readonly LiveCall[]): void {
    for (const call of calls) {
      const { node, src, dst } = conversationOf(call)
      const start = call.ts * 1000
      const before = this.#withKeys && call.decrypted === true ? HANDSHAKE_US : MARGIN_US
      const from = start - before
      const until = start + (call.latency_ms ?? 0) * 1000 + MARGIN_US
      const key = `${node} ${src.ip} ${src.port} ${dst.ip} ${dst.port}`
      const known = this.#known.get(key)
      if (known === undefined) {
        this.#known.set(key, { call, node, from, until, sentUntil: 0 })
        continue
      }
      // What lies between two matching calls of a connection is passed on only while the first is not done.
      known.from = known.sentUntil >= known.until ? from : Math.min(known.from, from)
      known.until = Math.max(known.until, until)
      this.#known.delete(key)
      this.#known.set(key, known)
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_CONNECTIONS) return
      this.#known.delete(oldest)
    }
  }

  /** What is recorded up to `settled` (Unix milliseconds) and was not passed on yet; undefined: nothing. */
  due(node: string, settled: number): DuePackets | undefined {
    const wanted = new Conversations()
    const ends = new Map<Connection, number>()
    for (const one of this.#known.values()) {
      const end = Math.min(one.until, settled * 1000)
      const from = Math.max(one.from, one.sentUntil + 1)
      if (one.node !== node || from > end) continue
      const { src, dst } = conversationOf(one.call)
      wanted.add(node, src, dst, from, end)
      ends.set(one, end)
    }
    if (ends.size === 0) return undefined
    const { from, until, anyOf } = wanted.wanted(node)
    return {
      start: from / 1000,
      end: until / 1000 + MICROSECOND,
      parties: anyOf,
      test: wanted.of(node),
      sent: () => {
        for (const [one, end] of ends) one.sentUntil = end
      },
    }
  }
}
