import type { Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../dissector.ts'
import type { Handoff, Message } from '../../message.ts'
import { Backend } from './backend.ts'
import { frameLength } from './frame.ts'
import { Frontend } from './frontend.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'
import { resync } from './probe.ts'
import { Session } from './session.ts'

/** What surrounds a statement in its message: names and types. */
const AROUND = 4096
/** A message without a type, in place of one. */
const UNTYPED = 0
const NO_TYPE = -1

/** PostgreSQL's protocol, version 3. */
export class PostgresqlConversation implements Conversation {
  readonly #session: Session
  readonly #frontend: Frontend
  readonly #backend: Backend
  /** Of the frame that was measured last, by side. */
  readonly #types: [number, number] = [NO_TYPE, NO_TYPE]

  constructor(connection: Connection) {
    this.#session = new Session(connection)
    this.#frontend = new Frontend(this.#session)
    this.#backend = new Backend(this.#session)
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (start === end) return 0
    if (this.#session.encryption !== undefined) {
      // The client waits for the byte that tells whether it may encrypt.
      if (side === 0 && bytes[start] !== UNTYPED) return 0
      if (side === 1 && isVerdict(bytes[start])) return 1
    }
    this.#types[side] = bytes[start]
    return frameLength(bytes, start, end, side)
  }

  keep(side: Side): number {
    const { body } = this.#session.connection.limits
    const type = this.#types[side]
    if (type === BACKEND.copyData || (side === 1 && type === BACKEND.dataRow))
      return HEADER + this.#backend.room
    if (side === 0 && type === FRONTEND.password) return HEADER + 64
    return type === UNTYPED ? UNTIL_CLOSE : body + AROUND
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    return side === 0 ? this.#frontend.decode(frame) : this.#backend.decode(frame)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return resync(bytes, start, end, side)
  }

  lost(side: Side): undefined {
    const { steps } = this.#session
    this.#session.encryption = undefined
    if (side === 1) {
      this.#backend.lost()
      steps.responsesLost()
    } else {
      this.#frontend.lost()
      steps.requestsLost(steps.heard)
    }
  }

  finish(side: Side): Message | undefined {
    return side === 1 ? this.#backend.finish() : undefined
  }
}

function isVerdict(byte: number): boolean {
  return byte === 0x53 || byte === 0x4e || byte === 0x47
}
