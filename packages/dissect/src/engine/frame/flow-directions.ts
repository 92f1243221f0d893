import type { Flow, Side } from '@tapdeck/wire'
import { type MissingMessage, unfinished } from '../../contract/call.ts'
import { MeteredConnection } from '../metered-connection.ts'
import type { BufferOwner, DirectionBuffer } from './direction-buffer.ts'

/** -0 keeps this a double like all times. 0 would be stored as an integer and deoptimise at the first time. */
const NEVER = -0

/** A datagram that the flow left unanswered for longer, µs, was lost or ignored. */
const DATAGRAM_PATIENCE = 5_000_000

/**
 * The two directions of a connection. Hundreds of thousands are idle, so a direction borrows a buffer only while it
 * has state to keep.
 */
export class FlowDirections extends MeteredConnection implements BufferOwner {
  /** The protocol's client is the flow's server. Buffers are indexed by the protocol's sides. */
  protected sidesSwapped = false
  protected client: DirectionBuffer | undefined
  protected server: DirectionBuffer | undefined
  #clientLast = NEVER
  #serverLast = NEVER

  /** Packet time of the last byte of a side, as the protocol numbers it. */
  protected last(side: Side): number {
    if (side === 0) return this.client === undefined ? this.#clientLast : this.client.last
    return this.server === undefined ? this.#serverLast : this.server.last
  }

  whyNoResponse(side: Side, requestStart: number): MissingMessage {
    const gapState = this.facing(side)?.gapState
    if (gapState?.gapTime === undefined || gapState.gapTime < requestStart)
      return isOpenAtEnd(this.flow, requestStart) ? unfinished : 'no_response'
    return gapState.gapIsCut ? 'truncated' : 'gap'
  }

  whyNoRequest(side: Side): MissingMessage {
    const gapState = side === 0 ? this.client?.gapState : this.server?.gapState
    if (gapState?.gapTime === undefined) return 'midstream'
    return gapState.gapIsCut ? 'truncated' : 'gap'
  }

  lastAnswer(side: Side): number {
    return this.last(side === 0 ? 1 : 0)
  }

  /** The buffer of the other side (protocol side). */
  protected facing(side: Side): DirectionBuffer | undefined {
    return side === 0 ? this.server : this.client
  }

  /** Whether a response to that side (protocol side) has begun and not ended. */
  isAnswering(side: Side): boolean {
    const buffer = side === 0 ? this.server : this.client
    return buffer !== undefined && (buffer.messageStart >= 0 || buffer.length > 0)
  }

  /** Whether packets in the answering direction are captured over TCP, so that a loss would be noticed. */
  isAnswerCaptured(side: Side): boolean {
    const answering = (side === 0) !== this.sidesSwapped ? 1 : 0
    return this.flow.transport === 'tcp' && this.flow.directions[answering].packets > 0
  }

  /** The buffer of a side, as the flow numbers it. */
  protected buffer(side: Side): DirectionBuffer {
    const isClient = (side === 0) !== this.sidesSwapped
    const buffer = isClient ? this.client : this.server
    if (buffer !== undefined) return buffer
    const taken = this.engine.directionBuffers.take(this)
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

  /** Releases both buffers. */
  protected releaseBuffers(): void {
    for (const buffer of [this.client, this.server]) {
      if (buffer === undefined) continue
      buffer.clear(this)
      buffer.reset()
      this.leave(buffer)
    }
  }

  protected swapSides(): void {
    const { client, server } = this
    const last = this.#clientLast
    this.client = server
    this.server = client
    this.#clientLast = this.#serverLast
    this.#serverLast = last
    if (client !== undefined) client.side = 1
    if (server !== undefined) server.side = 0
    this.sidesSwapped = !this.sidesSwapped
  }

  leave(buffer: DirectionBuffer): void {
    if (buffer === this.client) {
      this.#clientLast = buffer.last
      this.client = undefined
    } else {
      this.#serverLast = buffer.last
      this.server = undefined
    }
  }
}

/** Whether the capture ended while a response could still come. Depends on this flow only, so that shards agree. */
function isOpenAtEnd({ closed, transport, tcp, last }: Flow, requestStart: number): boolean {
  if (closed !== 'end-of-capture') return false
  return transport === 'tcp' ? tcp?.fins === 0 : last - requestStart <= DATAGRAM_PATIENCE
}
