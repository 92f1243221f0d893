import type { Call } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import { hashOf } from './exchange-hash.ts'

/** Microseconds of packet time for which an exchange is remembered, at least; twice that at most. */
const REMEMBERED_US = 200_000
/** Views of one exchange begin within this time: less than it is remembered, so that other calls do not change the answer. */
const VIEWS_WITHIN_US = 100_000
/** Without sequence numbers, views of one exchange begin within this time. */
const SAME_TIME_US = 20_000
/** Different exchanges in each of two generations. */
const MAX_EXCHANGES = 20_000

/** Equal exchanges of one connection: how often each view of the connection had them. */
interface EqualExchanges {
  readonly views: { readonly flow: Flow; count: number }[]
  /** How often the exchange was reported: as often as the view with the most had it. */
  reported: number
  /** Begin of the last one. */
  start: number
}

/**
 * Finds calls that are another view of a call that was reported before: the same messages on another flow of the same
 * connection. If a connection has the same exchange several times, the first ones of each view belong together, then the
 * second ones, and so on. The initial sequence numbers identify a connection. Where they are not known (UDP, or a
 * connection that is older than the capture), the flows must have the same client address and port: an address that is
 * translated is the server's in most cases, and equal requests of two clients to one server must stay two calls.
 */
export class SeenExchanges {
  #newer = new Map<number, EqualExchanges[]>()
  #older = new Map<number, EqualExchanges[]>()
  #size = 0
  #since = Number.NEGATIVE_INFINITY

  /** Whether the call is another view of one that was reported. If not, it is remembered as reported. */
  isSeen(call: Call): boolean {
    this.#rotate(call.end)
    const hash = hashOf(call)
    const known = this.#find(this.#newer.get(hash), call) ?? this.#renew(hash, call)
    if (known === undefined) {
      this.#add(hash, { views: [{ flow: call.flow, count: 1 }], reported: 1, start: call.start })
      return false
    }
    known.start = call.start
    let view = known.views.find(({ flow }) => flow === call.flow)
    if (view === undefined) {
      view = { flow: call.flow, count: 0 }
      known.views.push(view)
    }
    view.count++
    if (view.count <= known.reported) return true
    known.reported = view.count
    return false
  }

  #find(candidates: readonly EqualExchanges[] | undefined, call: Call): EqualExchanges | undefined {
    return candidates?.find(({ views, start }) => {
      const [first] = views
      return first !== undefined && isSameConnection(first.flow, call.flow, Math.abs(start - call.start))
    })
  }

  /** An exchange that goes on is remembered further, with its counts. */
  #renew(hash: number, call: Call): EqualExchanges | undefined {
    const known = this.#find(this.#older.get(hash), call)
    if (known !== undefined) this.#add(hash, known)
    return known
  }

  #add(hash: number, exchanges: EqualExchanges): void {
    const others = this.#newer.get(hash)
    if (others === undefined) this.#newer.set(hash, [exchanges])
    else others.push(exchanges)
    this.#size++
  }

  #rotate(now: number): void {
    if (now - this.#since < REMEMBERED_US && this.#size < MAX_EXCHANGES) return
    // Calls that end late, after their time was over, do not turn it back.
    if (now < this.#since && this.#size < MAX_EXCHANGES) return
    this.#older = this.#newer
    this.#newer = new Map()
    this.#size = 0
    this.#since = Math.max(now, this.#since)
  }
}

/** `apart`: microseconds between the two exchanges. */
function isSameConnection(one: Flow, other: Flow, apart: number): boolean {
  if (one === other) return true
  if (one.transport !== other.transport || apart > VIEWS_WITHIN_US) return false
  const [client, server] = one.sequences ?? []
  const [otherClient, otherServer] = other.sequences ?? []
  if (client !== undefined && server !== undefined && otherClient !== undefined && otherServer !== undefined)
    return client === otherClient && server === otherServer
  // Without ports, an address alone does not identify a client.
  if (one.transport === 'icmp') return false
  const [from, otherFrom] = [one.ends[0], other.ends[0]]
  return apart <= SAME_TIME_US && from.port === otherFrom.port && from.ip === otherFrom.ip
}
