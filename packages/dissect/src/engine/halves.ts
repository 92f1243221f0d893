import type { Side } from '@tapdeck/wire'
import type { MissingHalf } from '../call.ts'
import type { HalfStream } from './half-stream.ts'
import { MeteredConnection } from './metered-connection.ts'
import type { HalfOwner } from './spare-halves.ts'

/** A double like all times: 0 would be stored as an integer, and all that was compiled for it thrown away at the first time. */
const NEVER = -0

/**
 * The two directions of a connection. Hundreds of thousands of these are at rest, between two frames: a direction has a
 * half stream while there is something to know of it, and lends it to others afterwards.
 */
export class Halves extends MeteredConnection implements HalfOwner {
  /** The sides of the protocol are those of the flow exchanged. Halves go by the sides of the protocol. */
  protected turned = false
  protected client: HalfStream | undefined
  protected server: HalfStream | undefined
  #clientLast = NEVER
  #serverLast = NEVER

  /** Packet time of the last byte of that side of the protocol. */
  protected last(side: Side): number {
    if (side === 0) return this.client === undefined ? this.#clientLast : this.client.last
    return this.server === undefined ? this.#serverLast : this.server.last
  }

  whyNoResponse(side: Side, requestStart: number): MissingHalf {
    const trouble = this.facing(side)?.trouble
    if (trouble?.gapTime === undefined || trouble.gapTime < requestStart) return 'no_response'
    return trouble.gapCut ? 'truncated' : 'gap'
  }

  whyNoRequest(side: Side): MissingHalf {
    const trouble = side === 0 ? this.client?.trouble : this.server?.trouble
    if (trouble?.gapTime === undefined) return 'midstream'
    return trouble.gapCut ? 'truncated' : 'gap'
  }

  lastAnswer(side: Side): number {
    return this.last(side === 0 ? 1 : 0)
  }

  /** The half that faces a side of the protocol. */
  protected facing(side: Side): HalfStream | undefined {
    return side === 0 ? this.server : this.client
  }

  /** Whether an answer to that side of the protocol has begun and not ended. */
  isAnswering(side: Side): boolean {
    const half = side === 0 ? this.server : this.client
    return half !== undefined && (half.messageStart >= 0 || half.length > 0)
  }

  /** Whether what answers that side of the protocol is seen, and cannot be lost without a word. */
  isHeard(side: Side): boolean {
    const answering = (side === 0) !== this.turned ? 1 : 0
    return this.flow.transport === 'tcp' && this.flow.halves[answering].packets > 0
  }

  /** The half of a side of the flow. */
  protected half(side: Side): HalfStream {
    const isClient = (side === 0) !== this.turned
    const half = isClient ? this.client : this.server
    if (half !== undefined) return half
    const taken = this.engine.spareHalves.take(this)
    if (isClient) {
      taken.side = 0
      taken.last = this.#clientLast
      this.client = taken
    } else {
      taken.side = 1
      taken.last = this.#serverLast
      this.server = taken
    }
    return taken
  }

  /** Gives up both, whatever is known of them. */
  protected leaveHalves(): void {
    for (const half of [this.client, this.server]) {
      if (half === undefined) continue
      half.clear(this)
      half.reset()
      this.leave(half)
    }
  }

  protected turn(): void {
    const { client, server } = this
    const last = this.#clientLast
    this.client = server
    this.server = client
    this.#clientLast = this.#serverLast
    this.#serverLast = last
    if (client !== undefined) client.side = 1
    if (server !== undefined) server.side = 0
    this.turned = !this.turned
  }

  leave(half: HalfStream): void {
    if (half === this.client) {
      this.#clientLast = half.last
      this.client = undefined
    } else {
      this.#serverLast = half.last
      this.server = undefined
    }
  }
}
