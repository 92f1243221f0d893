import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import { latin1 } from '../../text/text.ts'
import { tokenNumber } from './line.ts'
import { type Operation, operationOf, unknownOperation } from './operations.ts'
import { probeLine } from './probe.ts'
import { hideSecrets } from './secrets.ts'

const LF = 0x0a
/** An INFO that names the servers of a large cluster; `max_control_line` is 4 KB for all else. */
const MAX_LINE_LENGTH = 64 * 1024
const MAX_PAYLOAD_SIZE = 2 ** 30

type Draft = { -readonly [K in keyof Message]: Message[K] }

class SideState {
  operation: Operation | undefined
  line = 0
  payload = -1
  scanned = 0
  /** Something was understood before. */
  understood = false
}

/** NATS: lines, some with a payload. What a server acknowledges depends on how the client introduced itself. */
export class NatsConversation implements Conversation {
  readonly #connection: Connection
  readonly #states = [new SideState(), new SideState()] as const
  /** Each line of the client is acknowledged with +OK. */
  #verbose = false
  /** CONNECT was sent and not answered; that is not told but by what follows. */
  #connecting = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const state = this.#states[side]
    const stop = Math.min(end, start + MAX_LINE_LENGTH)
    let at = start + state.scanned
    while (at < stop && bytes[at] !== LF) at++
    if (at === stop) {
      if (end - start >= MAX_LINE_LENGTH) throw new Malformed('line too long')
      if (
        state.scanned === 0 &&
        end > start &&
        probeLine(bytes, start, end, side) === 'no' &&
        end - start > 8
      )
        throw new Malformed('no operation')
      state.scanned = end - start
      return 0
    }
    state.scanned = 0
    state.line = at + 1 - start
    state.payload = -1
    state.operation = operationOf(bytes, start, at)
    if (state.operation === undefined) {
      if (state.line <= 2 && bytes[start] <= 0x0d) return state.line
      state.operation = side === 0 && state.understood ? unknownOperation(bytes, start, at) : undefined
      if (state.operation === undefined) throw new Malformed('no operation')
      return state.line
    }
    state.understood = true
    if (!state.operation.sized) return state.line
    state.payload = tokenNumber(bytes, start, at, -1)
    if (state.payload < 0 || state.payload > MAX_PAYLOAD_SIZE) throw new Malformed('no payload size')
    return state.line + state.payload + 2
  }

  keep(side: Side): number {
    const { line, payload } = this.#states[side]
    return line + Math.min(Math.max(0, payload + 2), this.#connection.limits.body)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    const { operation } = this.#states[side]
    if (operation === undefined) return undefined
    const message = this.#message(frame, side)
    return side === 0 ? this.#said(message, operation.name) : this.#heard(message, operation.name)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    this.#states[side].scanned = 0
    for (let at = start; at < end; ) {
      const next = bytes.indexOf(LF, at) + 1
      const verdict = probeLine(bytes, at, end, side)
      if (verdict === 'yes' || (verdict === 'more' && next > 0 && next <= end)) return at
      if (next <= 0 || next >= end) return -1
      at = next
    }
    return -1
  }

  lost(side: Side): undefined {
    this.#states[side].scanned = 0
    this.#connecting = false
  }

  #message({ bytes, start, end }: Frame, side: Side): Draft {
    const { copy, limits } = this.#connection
    const { line, payload } = this.#states[side]
    const split = Math.min(end, start + line)
    const message: Draft = { kind: 'event', head: copy(bytes, start, split) }
    if (payload < 0) return message
    const stop = Math.min(end, split + Math.min(payload, limits.body))
    message.body = copy(bytes, split, stop)
    if (stop - split < payload) {
      message.bodySize = payload
      message.truncated = true
    }
    return message
  }

  #said(message: Draft, name: string): Message {
    if (name === 'CONNECT' && message.head !== undefined) {
      hideSecrets(message.head)
      this.#verbose = /"verbose"\s*:\s*true/.test(latin1(message.head))
      this.#connecting = true
      message.kind = 'request'
    } else if (name === 'PING' || (this.#verbose && name !== 'PONG')) message.kind = 'request'
    else if (name === 'PONG') message.kind = 'response'
    return message
  }

  #heard(message: Draft, name: string): Message | readonly Message[] | Handoff {
    switch (name) {
      case '+OK':
        // Only a verbose connection has these: a capture that began later has not seen why.
        this.#verbose = true
        this.#connecting = false
        message.kind = 'response'
        return message
      case '-ERR':
        if (this.#connecting || this.#verbose) message.kind = 'response'
        this.#connecting = false
        return message
      case 'PONG':
        message.kind = 'response'
        return this.#accepted(message)
      case 'PING':
        message.kind = 'request'
        return this.#accepted(message)
      case 'INFO':
        if (message.head !== undefined && /"tls_required"\s*:\s*true/.test(latin1(message.head)))
          return { kind: 'handoff', to: 'tls', message }
        return message
      default:
        return this.#accepted(message)
    }
  }

  /** A server that goes on has accepted the CONNECT that it did not acknowledge. */
  #accepted(message: Message): Message | readonly Message[] {
    if (!this.#connecting || this.#verbose) return message
    this.#connecting = false
    return [{ kind: 'response', size: 0, fields: { implied: true } }, message]
  }
}
