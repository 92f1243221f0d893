import type { Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import { draftMessage, type Message, type MessageDraft, redraft } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { PlainMessage } from '../../message/plain-message.ts'
import { isWord, locate, locateVerb, type Span } from './arguments.ts'
import { inlineLength, ValueCutter } from './frame.ts'
import { resyncCommands, resyncReplies } from './resync.ts'
import { hideSecrets } from './secrets.ts'
import { SnapshotTransfer } from './snapshot-transfer.ts'
import { isSubscription, Subscriptions } from './subscriptions.ts'
import { MAX_VERB_LENGTH, verbAt } from './verbs.ts'

/** Bytes of a value that stay with it whatever happens; the rest is its body. */
const HEAD = 1024
/** Bytes kept of a snapshot: its size and what version it is of. */
const SNAPSHOT_HEAD = 64
const ARRAY = 0x2a

/** Ends a reply of which more was expected. */
const LAST_PART: Message = redraft({ kind: 'response', size: 0 })

/** One side of the connection. */
class SideState extends ValueCutter {
  /** What was kept of a value that comes in pieces. */
  body: Body | undefined
  /** What was measured last is an inline command; and how far an unfinished one was looked at. */
  inline = false
  scanned = 0
}

/** The value that was read last, as far as it was kept, `memory[from, to)`, and its true size: each is done with before the next. */
const value: { memory: Uint8Array; from: number; to: number; size: number } = {
  memory: new Uint8Array(0),
  from: 0,
  to: 0,
  size: 0,
}
const verb: Span = { start: 0, end: 0 }
const span: Span = { start: 0, end: 0 }

/** RESP2 and RESP3: replies come in the order of the commands, pushes between them. */
export class RedisConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new SideState()
  readonly #server = new SideState()
  /** There once something is subscribed to: most connections never do. */
  #subscriptions: Subscriptions | undefined
  #sent = 0
  #answered = 0
  /** The client's last command was a line, or none was seen yet. */
  #speaksInline = true
  #monitors = false
  /** CLIENT REPLY OFF; and how many commands go unanswered after CLIENT REPLY SKIP. */
  #muted = false
  #skips = 0
  /** PSYNC was sent; it was granted: from then on the server sends commands without an answer. */
  #asksToFollow = false
  #follows = false
  #snapshot: SnapshotTransfer | undefined
  /** The next confirmation is the first to its command. */
  #firstConfirmation = true

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (start === end) return 0
    const state = side === 0 ? this.#client : this.#server
    if (side === 1 && this.#snapshot !== undefined) return this.#snapshot.measure(bytes, start, end)
    // A primary keeps the connection to its replica alive with empty lines.
    state.inline =
      state.ends &&
      (side === 0 ? bytes[start] !== ARRAY : bytes[start] === 0x0a && (this.#follows || this.#asksToFollow))
    if (!state.inline) return state.measure(bytes, start, end)
    const length = inlineLength(bytes, start, end, state.scanned)
    state.scanned = length > 0 ? 0 : end - start
    return length
  }

  keep(side: Side): number {
    if (side === 1 && this.#snapshot !== undefined) return SNAPSHOT_HEAD
    const { body } = side === 0 ? this.#client : this.#server
    return body === undefined ? this.#connection.limits.body : body.room
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    if (side === 0) return this.#read(this.#client, frame) ? this.#command() : undefined
    if (this.#snapshot !== undefined) return this.#transfer(this.#snapshot, frame)
    return this.#read(this.#server, frame) ? this.#reply() : undefined
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    this.#drop(side)
    if (side === 0) return resyncCommands(bytes, start, end, this.#speaksInline)
    return this.#follows ? resyncCommands(bytes, start, end, false) : resyncReplies(bytes, start, end)
  }

  lost(side: Side): Message | undefined {
    // Which reply belongs to which command is no longer certain.
    this.#sent = 0
    this.#answered = 0
    this.#subscriptions?.forget()
    this.#firstConfirmation = true
    return this.finish(side)
  }

  finish(side: Side): Message | undefined {
    const state = side === 0 ? this.#client : this.#server
    const { body } = state
    if (body === undefined || body.held === 0) {
      this.#drop(side)
      return undefined
    }
    const kept = take(body)
    this.#drop(side)
    if (!kept) return undefined
    hide()
    const message = draft(side === 0 ? 'request' : 'response')
    message.truncated = true
    return message
  }

  #drop(side: Side): void {
    const state = side === 0 ? this.#client : this.#server
    state.reset()
    state.scanned = 0
    state.body?.drop()
    state.body = undefined
    if (side === 1) this.#snapshot = undefined
  }

  /** Puts what was kept of a whole value to `value`; false while there is more of it to come. */
  #read(state: SideState, { bytes, start, end, length }: Frame): boolean {
    const { limits, arena } = this.#connection
    const ends = state.inline || state.ends
    if (ends && state.body === undefined) {
      const stop = Math.min(end, start + limits.body)
      const from = arena.place(bytes, start, stop)
      if (value.memory !== arena.placed) value.memory = arena.placed
      value.from = from
      value.to = from + stop - start
      value.size = length
      return true
    }
    state.body ??= new Body(this.#connection)
    const { body } = state
    body.append(bytes, start, end, length)
    if (!ends) return false
    state.body = undefined
    return take(body)
  }

  #command(): Message | undefined {
    const { memory, from, to } = value
    if (!locateVerb(memory, from, to, verb)) return undefined
    const known = verbAt(memory, verb.start, Math.min(verb.end, verb.start + MAX_VERB_LENGTH))
    const { end } = verb
    this.#speaksInline = this.#client.inline
    if (known.isSpecial) hideSecrets(memory, from, to, verb.start, verb.end)
    const answered = !(known.isSpecial && this.#silences()) && this.#answersNext()
    if (answered) this.#sent++
    const message = tell(answered ? 'request' : 'event')
    if (message instanceof PlainMessage) {
      message.note = known
      message.noteEnd = end
    }
    return message
  }

  #subscribing(): Subscriptions {
    this.#subscriptions ??= new Subscriptions()
    return this.#subscriptions
  }

  /** Whether the command is answered, as far as those before it tell. */
  #answersNext(): boolean {
    if (this.#skips > 0) {
      this.#skips--
      return false
    }
    return !this.#muted && !this.#follows
  }

  /** Notes what a command changes about the replies to come; true if it has no answer itself. */
  #silences(): boolean {
    const { memory, from, to } = value
    const { start, end } = verb
    switch (end - start) {
      case 5:
        if (isWord(memory, start, end, 'psync')) this.#asksToFollow = true
        else if (isWord(memory, start, end, 'reset')) {
          this.#subscriptions?.reset()
          this.#monitors = false
          this.#muted = false
        }
        break
      case 6:
        if (isWord(memory, start, end, 'client')) return this.#mutes()
        break
      case 7:
        if (isWord(memory, start, end, 'monitor')) this.#monitors = true
        break
      case 8:
        // Only a replica acknowledges: a capture that begins later has missed how it became one.
        if (isWord(memory, start, end, 'replconf') && locate(memory, from, to, 1, span))
          this.#follows ||= isWord(memory, span.start, span.end, 'ack')
        break
      case 9:
      case 10:
      case 11:
      case 12:
        if (isSubscription(memory, verb)) this.#subscribing().ask(memory, from, to, verb, this.#sent)
    }
    return false
  }

  /** CLIENT REPLY ON is answered, OFF and SKIP are not. */
  #mutes(): boolean {
    const { memory, from, to } = value
    if (!locate(memory, from, to, 1, span) || !isWord(memory, span.start, span.end, 'reply')) return false
    if (!locate(memory, from, to, 2, span)) return false
    if (isWord(memory, span.start, span.end, 'on')) this.#muted = false
    else if (isWord(memory, span.start, span.end, 'off')) this.#muted = true
    else if (isWord(memory, span.start, span.end, 'skip')) this.#skips = 1
    else return false
    return this.#muted || this.#skips > 0
  }

  #reply(): Message | readonly Message[] | undefined {
    const { memory, from, to } = value
    if (this.#follows) return locate(memory, from, to, 0, verb) ? tell('event') : undefined
    // Of a value that was lost or cut there may be nothing.
    const type = from < to ? memory[from] : 0
    const second = from + 1 < to ? memory[from + 1] : 0
    if (type === 0x0a) return undefined
    const unasked = this.#answered === this.#sent
    const subscriptions = this.#subscriptions
    if (type === 0x3e || (type === ARRAY && (unasked || subscriptions?.active))) {
      const confirmation = this.#subscribing().confirm(memory, from, to)
      if (confirmation === 'part' || confirmation === 'last') return this.#confirmed(confirmation)
      if (type === 0x3e || confirmation === 'unasked' || isPublished()) return tell('event')
    } else if (type === 0x2b) {
      if (this.#monitors && second >= 0x30 && second <= 0x39) return tell('event')
      if (this.#asksToFollow || second === 0x46) this.#follow()
    } else if (type === 0x2d) subscriptions?.refuse(this.#answered)
    if (!unasked) this.#answered++
    const message = tell('response')
    if (!subscriptions?.midway) return message
    subscriptions.abandon()
    this.#firstConfirmation = true
    return [{ ...LAST_PART }, message]
  }

  /** The first confirmation is the head of the reply, those of further channels its body. */
  #confirmed(confirmation: 'part' | 'last'): Message | readonly Message[] {
    const { memory, from, to } = value
    const { overtook } = this.#subscribing()
    const first = this.#firstConfirmation || overtook
    this.#firstConfirmation = confirmation === 'last'
    if (confirmation === 'last' && this.#answered < this.#sent) this.#answered++
    const part = memory.subarray(from, to)
    const message = first ? draftMessage('response', part) : draftMessage('response', undefined, part)
    if (confirmation === 'part') message.more = true
    return overtook ? [{ ...LAST_PART }, message] : message
  }

  #follow(): void {
    const full = startsWith('+FULLRESYNC ')
    if (!full && !(this.#asksToFollow && startsWith('+CONTINUE'))) return
    this.#asksToFollow = false
    this.#follows = true
    if (full) this.#snapshot = new SnapshotTransfer()
  }

  #transfer(snapshot: SnapshotTransfer, { bytes, start, end, length }: Frame): Message | undefined {
    const state = this.#server
    if (length > 1) {
      state.body ??= new Body(this.#connection)
      state.body.append(
        bytes,
        start,
        Math.min(end, start + Math.max(0, SNAPSHOT_HEAD - state.body.held)),
        length,
      )
    }
    if (!snapshot.ends) return undefined
    const size = state.body?.size ?? 0
    const head = state.body?.take() ?? new Uint8Array(0)
    state.body = undefined
    this.#snapshot = undefined
    return redraft({ kind: 'event', head, bodySize: size - head.length })
  }
}

/** Puts what a body kept to `value`; false where that is nothing. */
function take(body: Body): boolean {
  value.size = body.size
  const kept = body.take()
  if (kept === undefined) return false
  value.memory = kept
  value.from = 0
  value.to = kept.length
  return true
}

/** A half that says `value`. */
function tell(kind: Message['kind']): PlainMessage | MessageDraft {
  const { memory, from, to, size } = value
  return to - from <= HEAD && to - from === size ? new PlainMessage(kind, memory, from, to) : draft(kind)
}

/** The same where it is long, or cut. */
function draft(kind: Message['kind']): MessageDraft {
  const { memory, from, to, size } = value
  const length = to - from
  const message =
    length <= HEAD
      ? draftMessage(kind, memory.subarray(from, to))
      : draftMessage(kind, memory.subarray(from, from + HEAD), memory.subarray(from + HEAD, to))
  if (length < size) {
    message.bodySize = size - Math.min(length, HEAD)
    message.truncated = true
  }
  return message
}

/** The beginning of a command that was lost in part may hold secrets, too. */
function hide(): void {
  const { memory, from, to } = value
  if (memory[from] === ARRAY && locate(memory, from, to, 0, verb))
    hideSecrets(memory, from, to, verb.start, verb.end)
}

function startsWith(text: string): boolean {
  const { memory, from, to } = value
  if (to - from < text.length) return false
  for (let i = 0; i < text.length; i++) if (memory[from + i] !== text.charCodeAt(i)) return false
  return true
}

/** What a subscriber is sent in RESP2: an array like any other, but for its first word. */
function isPublished(): boolean {
  const { memory, from, to } = value
  if (!locate(memory, from, to, 0, span)) return false
  const { start, end } = span
  switch (end - start) {
    case 7:
      return isWord(memory, start, end, 'message')
    case 8:
      return isWord(memory, start, end, 'pmessage') || isWord(memory, start, end, 'smessage')
    default:
      return false
  }
}
