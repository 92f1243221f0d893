import type { Side } from '@tapdeck/wire'
import { Body } from '../../body.ts'
import type { Connection, Conversation, Frame } from '../../dissector.ts'
import { draftMessage, type Message, type MessageDraft, redraft } from '../../message.ts'
import { isWord, locate, locateVerb, type Span } from './arguments.ts'
import { inlineLength, ValueCutter } from './frame.ts'
import { resyncCommands, resyncReplies } from './resync.ts'
import { hideSecrets } from './secrets.ts'
import { SnapshotTransfer } from './snapshot-transfer.ts'
import { isSubscription, Subscriptions } from './subscriptions.ts'

/** Bytes of a value that stay with it whatever happens; the rest is its body. */
const HEAD = 1024
/** Bytes kept of a snapshot: its size and what version it is of. */
const SNAPSHOT_HEAD = 64
const ARRAY = 0x2a

/** Ends a reply of which more was expected. */
const LAST_PART: Message = redraft({ kind: 'response', size: 0 })

/** One side of the connection. */
class Talk extends ValueCutter {
  /** What was kept of a value that comes in pieces. */
  body: Body | undefined
  /** True size of the value read last. */
  size = 0
  /** What was measured last is an inline command; and how far an unfinished one was looked at. */
  inline = false
  scanned = 0
}

const verb: Span = { start: 0, end: 0 }
const span: Span = { start: 0, end: 0 }

/** RESP2 and RESP3: replies come in the order of the commands, pushes between them. */
export class RedisConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new Talk()
  readonly #server = new Talk()
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
  /** PSYNC was sent; it was granted: from then on the server sends commands that nobody answers. */
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
    const talk = side === 0 ? this.#client : this.#server
    if (side === 1 && this.#snapshot !== undefined) return this.#snapshot.measure(bytes, start, end)
    // A primary keeps the connection to its replica alive with empty lines.
    talk.inline =
      talk.ends &&
      (side === 0 ? bytes[start] !== ARRAY : bytes[start] === 0x0a && (this.#follows || this.#asksToFollow))
    if (!talk.inline) return talk.measure(bytes, start, end)
    const length = inlineLength(bytes, start, end, talk.scanned)
    talk.scanned = length > 0 ? 0 : end - start
    return length
  }

  keep(side: Side): number {
    if (side === 1 && this.#snapshot !== undefined) return SNAPSHOT_HEAD
    const { body } = side === 0 ? this.#client : this.#server
    return body === undefined ? this.#connection.limits.body : body.room
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    if (side === 0) {
      const value = this.#value(this.#client, frame)
      return value === undefined ? undefined : this.#command(value)
    }
    if (this.#snapshot !== undefined) return this.#transfer(this.#snapshot, frame)
    const value = this.#value(this.#server, frame)
    return value === undefined ? undefined : this.#reply(value)
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
    const talk = side === 0 ? this.#client : this.#server
    const { body } = talk
    if (body === undefined || body.held === 0) {
      this.#drop(side)
      return undefined
    }
    talk.size = body.size
    const value = body.take()
    this.#drop(side)
    if (value === undefined) return undefined
    hide(value)
    return { ...this.#message(side === 0 ? 'request' : 'response', talk, value), truncated: true }
  }

  #drop(side: Side): void {
    const talk = side === 0 ? this.#client : this.#server
    talk.reset()
    talk.scanned = 0
    talk.body?.drop()
    talk.body = undefined
    if (side === 1) this.#snapshot = undefined
  }

  /** A whole value, or as much of it as is kept; undefined while there is more of it to come. */
  #value(talk: Talk, { bytes, start, end, length }: Frame): Uint8Array | undefined {
    const { limits, copy } = this.#connection
    const ends = talk.inline || talk.ends
    if (ends && talk.body === undefined) {
      talk.size = length
      return copy(bytes, start, Math.min(end, start + limits.body))
    }
    talk.body ??= new Body(this.#connection)
    const { body } = talk
    body.append(bytes, start, end, length)
    if (!ends) return undefined
    talk.size = body.size
    const kept = body.take()
    talk.body = undefined
    return kept
  }

  #message(kind: Message['kind'], { size }: Talk, value: Uint8Array): MessageDraft {
    const { length } = value
    const message =
      length <= HEAD
        ? draftMessage(kind, value)
        : draftMessage(kind, value.subarray(0, HEAD), value.subarray(HEAD))
    if (length < size) {
      message.bodySize = size - Math.min(length, HEAD)
      message.truncated = true
    }
    return message
  }

  #command(value: Uint8Array): Message | undefined {
    if (!locateVerb(value, verb)) return undefined
    hideSecrets(value, verb.start, verb.end)
    this.#speaksInline = this.#client.inline
    const answered = this.#expectsAnswer(value)
    if (answered) this.#sent++
    return this.#message(answered ? 'request' : 'event', this.#client, value)
  }

  get #subscribing(): Subscriptions {
    this.#subscriptions ??= new Subscriptions()
    return this.#subscriptions
  }

  /** Notes what a command changes about the replies to come. */
  #expectsAnswer(value: Uint8Array): boolean {
    const { start, end } = verb
    switch (end - start) {
      case 5:
        if (isWord(value, start, end, 'psync')) this.#asksToFollow = true
        else if (isWord(value, start, end, 'reset')) {
          this.#subscriptions?.reset()
          this.#monitors = false
          this.#muted = false
        }
        break
      case 6:
        if (isWord(value, start, end, 'client') && this.#silences(value)) return false
        break
      case 7:
        if (isWord(value, start, end, 'monitor')) this.#monitors = true
        break
      case 8:
        // Only a replica acknowledges: a capture that begins later has missed how it became one.
        if (isWord(value, start, end, 'replconf') && locate(value, 1, span))
          this.#follows ||= isWord(value, span.start, span.end, 'ack')
        break
      case 9:
      case 10:
      case 11:
      case 12:
        if (isSubscription(value, verb)) this.#subscribing.ask(value, verb, this.#sent)
    }
    if (this.#skips > 0) {
      this.#skips--
      return false
    }
    return !this.#muted && !this.#follows
  }

  /** CLIENT REPLY ON is answered, OFF and SKIP are not. */
  #silences(value: Uint8Array): boolean {
    if (!locate(value, 1, span) || !isWord(value, span.start, span.end, 'reply') || !locate(value, 2, span))
      return false
    if (isWord(value, span.start, span.end, 'on')) this.#muted = false
    else if (isWord(value, span.start, span.end, 'off')) this.#muted = true
    else if (isWord(value, span.start, span.end, 'skip')) this.#skips = 1
    else return false
    return this.#muted || this.#skips > 0
  }

  #reply(value: Uint8Array): Message | readonly Message[] | undefined {
    const talk = this.#server
    if (this.#follows) return locate(value, 0, verb) ? this.#message('event', talk, value) : undefined
    const type = value[0]
    if (type === 0x0a) return undefined
    const unasked = this.#answered === this.#sent
    const subscriptions = this.#subscriptions
    if (type === 0x3e || (type === ARRAY && (unasked || subscriptions?.active))) {
      const confirmation = this.#subscribing.confirm(value)
      if (confirmation === 'part' || confirmation === 'last') return this.#confirmed(value, confirmation)
      if (type === 0x3e || confirmation === 'unasked' || isPublished(value))
        return this.#message('event', talk, value)
    } else if (type === 0x2b) {
      if (this.#monitors && value[1] >= 0x30 && value[1] <= 0x39) return this.#message('event', talk, value)
      if (this.#asksToFollow || value[1] === 0x46) this.#follow(value)
    } else if (type === 0x2d) subscriptions?.refuse(this.#answered)
    if (!unasked) this.#answered++
    const message = this.#message('response', talk, value)
    if (!subscriptions?.midway) return message
    subscriptions.abandon()
    this.#firstConfirmation = true
    return [{ ...LAST_PART }, message]
  }

  /** The first confirmation is the head of the reply, those of further channels its body. */
  #confirmed(value: Uint8Array, confirmation: 'part' | 'last'): Message | readonly Message[] {
    const { overtook } = this.#subscribing
    const first = this.#firstConfirmation || overtook
    this.#firstConfirmation = confirmation === 'last'
    if (confirmation === 'last' && this.#answered < this.#sent) this.#answered++
    const message = first ? draftMessage('response', value) : draftMessage('response', undefined, value)
    if (confirmation === 'part') message.more = true
    return overtook ? [{ ...LAST_PART }, message] : message
  }

  #follow(value: Uint8Array): void {
    const full = startsWith(value, '+FULLRESYNC ')
    if (!full && !(this.#asksToFollow && startsWith(value, '+CONTINUE'))) return
    this.#asksToFollow = false
    this.#follows = true
    if (full) this.#snapshot = new SnapshotTransfer()
  }

  #transfer(snapshot: SnapshotTransfer, { bytes, start, end, length }: Frame): Message | undefined {
    const talk = this.#server
    if (length > 1) {
      talk.body ??= new Body(this.#connection)
      talk.body.append(
        bytes,
        start,
        Math.min(end, start + Math.max(0, SNAPSHOT_HEAD - talk.body.held)),
        length,
      )
    }
    if (!snapshot.ends) return undefined
    const size = talk.body?.size ?? 0
    const head = talk.body?.take() ?? new Uint8Array(0)
    talk.body = undefined
    this.#snapshot = undefined
    return redraft({ kind: 'event', head, bodySize: size - head.length })
  }
}

/** The beginning of a command that was lost in part may hold secrets, too. */
function hide(value: Uint8Array): void {
  if (value[0] === ARRAY && locate(value, 0, verb)) hideSecrets(value, verb.start, verb.end)
}

function startsWith(value: Uint8Array, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (value[i] !== text.charCodeAt(i)) return false
  return true
}

/** What a subscriber is sent in RESP2: an array like any other, but for its first word. */
function isPublished(value: Uint8Array): boolean {
  if (!locate(value, 0, span)) return false
  const { start, end } = span
  switch (end - start) {
    case 7:
      return isWord(value, start, end, 'message')
    case 8:
      return isWord(value, start, end, 'pmessage') || isWord(value, start, end, 'smessage')
    default:
      return false
  }
}
