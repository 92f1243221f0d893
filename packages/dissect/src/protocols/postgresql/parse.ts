import type { Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import { ReusedFrame } from '../../contract/reused-frame.ts'
import { Backend } from './backend.ts'
import { frameLength } from './frame.ts'
import { Frontend } from './frontend.ts'
import { BACKEND, FRONTEND, HEADER } from './message-type.ts'
import { Parts } from './parts.ts'
import { resync } from './probe.ts'
import { Session } from './session.ts'

/** What surrounds a statement in its message: names and types. */
const AROUND = 4096
/** A message without a type, in place of one. */
const UNTYPED = 0
const NO_TYPE = -1

type Told = Message | readonly Message[] | undefined
type Said = Told | Handoff

/** The messages of the frame that is being read, and the one of them: each is read before the next. */
const parts = new Parts()
const part = new ReusedFrame()

/** PostgreSQL's protocol, version 3. */
export class PostgresqlConversation implements Conversation {
  readonly #session: Session
  readonly #frontend: Frontend
  readonly #backend: Backend
  /** Of the frame that was measured last, by side. */
  readonly #types: [number, number] = [NO_TYPE, NO_TYPE]
  /** Sides of which bytes are held that may be older than those to come. */
  readonly #held: [boolean, boolean] = [false, false]

  constructor(connection: Connection) {
    this.#session = new Session(connection)
    this.#frontend = new Frontend(this.#session)
    this.#backend = new Backend(this.#session)
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (start === end) return 0
    const isClear = this.#session.encryption === undefined
    // All messages of a packet at once: most calls are several, and what they cost is mostly the way here.
    if (isClear && !this.#held[side]) {
      const whole = parts.measure(bytes, start, end, side)
      if (whole > start) return whole - start
    }
    if (!isClear) {
      // The client waits for the byte that says whether it may encrypt.
      if (side === 0 && bytes[start] !== UNTYPED) return 0
      if (side === 1 && isVerdict(bytes[start])) return 1
    }
    this.#types[side] = bytes[start]
    const length = frameLength(bytes, start, end, side)
    this.#held[side] = length === 0
    return length
  }

  keep(side: Side): number {
    const { body } = this.#session.connection.limits
    const type = this.#types[side]
    if (type === BACKEND.copyData || (side === 1 && type === BACKEND.dataRow))
      return HEADER + this.#backend.room
    if (side === 0 && type === FRONTEND.password) return HEADER + 64
    return type === UNTYPED ? UNTIL_CLOSE : body + AROUND
  }

  decode(frame: Frame, side: Side): Said {
    const said = this.#decode(frame, side)
    this.#session.answer?.settle()
    return said
  }

  #decode(frame: Frame, side: Side): Said {
    const { bytes, start, end, length } = frame
    const backend = this.#backend
    const frontend = this.#frontend
    if (end - start < length || bytes[start] === UNTYPED || this.#session.encryption !== undefined)
      return side === 0 ? frontend.decode(frame) : backend.decode(frame)
    if (!parts.areThose(bytes, start, end)) parts.setOnly(bytes[start], end)
    if (side === 1 && backend.isPlain(frame, parts)) return backend.decodePlain(frame, parts)
    let said: Told
    let all: Message[] | undefined
    let at = start
    for (let i = 0; i < parts.count; i++) {
      part.cut(frame, at, parts.ends[i])
      at = part.end
      const next = side === 0 ? frontend.decode(part) : backend.decode(part)
      if (next === undefined || isHandoff(next)) continue
      if (said === undefined) said = next
      else {
        all ??= [said].flat()
        if ('kind' in next) all.push(next)
        else all.push(...next)
      }
    }
    return all ?? said
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

/** It answers a byte that stands alone. */
function isHandoff(said: Exclude<Said, undefined>): said is Handoff {
  return 'kind' in said && said.kind === 'handoff'
}

function isVerdict(byte: number): boolean {
  return byte === 0x53 || byte === 0x4e || byte === 0x47
}
