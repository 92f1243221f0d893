import type { Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { addressOf, argumentOf, chunkSize, hideAll, hideCredentials, UNKNOWN, verbOf } from './command.ts'
import { lineLength, MessageCutter, replyLength } from './frame.ts'
import { probeLine } from './probe.ts'
import { resync } from './resync.ts'

const MAX_RECIPIENTS = 32
const MAX_COMMAND_LENGTH = 512
const MAX_CHUNK_SIZE = 2 ** 32

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** What the client says next: commands, the text of a message, a step of AUTH. */
type Phase = 'command' | 'message' | 'credentials'

interface Asked {
  readonly verb: string
  readonly address: string
}

/** SMTP and LMTP: replies come in the order of the commands. */
export class SmtpConversation implements Conversation {
  readonly #connection: Connection
  readonly #asked: Asked[] = []
  readonly #cutter = new MessageCutter()
  #phase: Phase = 'command'
  /** What the client says next depends on the reply. */
  #awaiting = false
  /** The reply to DATA was lost; and it was not what lets the client go on. */
  #unsure = false
  #refused = false
  #scanned = 0
  #scannedReply = 0
  #line = 0
  #chunk = -1
  /** DATA or AUTH, of which more may come, and the last part of it: the text, or nothing but its end. */
  #open = ''
  #rest: Draft | undefined
  #text: Body | undefined
  #greeted: boolean
  #firstCommand = Number.POSITIVE_INFINITY
  /** The envelope. LMTP replies to a message once for each recipient. */
  #from = ''
  #to: string[] = []
  #accepted = 0
  #lmtp = false
  #owed = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#greeted = connection.flow.midstream
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (side === 1) return this.#replyLength(bytes, start, end)
    if (this.#awaiting || start === end) return 0
    if (this.#unsure && !this.#guess(bytes, start, end)) return 0
    if (this.#phase === 'message') return this.#cutter.measure(bytes, start, end)
    const length = lineLength(bytes, start, end, this.#scanned)
    this.#scanned = length > 0 ? 0 : end - start
    if (length === 0) return 0
    this.#line = length
    this.#chunk = -1
    if (this.#phase === 'credentials' || verbOf(bytes, start, start + length) !== 'BDAT') return length
    this.#chunk = Math.min(MAX_CHUNK_SIZE, chunkSize(bytes, start, start + length))
    return length + this.#chunk
  }

  keep(side: Side): number {
    if (side === 1 || this.#chunk < 0) return this.#connection.limits.frame
    return this.#line + Math.min(this.#chunk, this.#connection.limits.body)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    if (side === 1) return this.#reply(frame)
    if (this.#phase === 'message') return this.#message(frame)
    if (this.#phase === 'command') return this.#command(frame)
    // A step of AUTH, which is not shown.
    this.#awaiting = true
    return undefined
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (side === 0) this.#scanned = 0
    else this.#scannedReply = 0
    return resync(bytes, start, end, side)
  }

  lost(side: Side): Message | undefined {
    this.#asked.length = 0
    this.#owed = 0
    this.#greeted = true
    this.#awaiting = false
    this.#unsure = false
    this.#refused = false
    if (side === 1) {
      this.#scannedReply = 0
      // The client's next bytes show whether it may continue.
      if (this.#open === 'DATA' && this.#phase === 'command') {
        this.#unsure = true
        return undefined
      }
    }
    return this.finish(0)
  }

  finish(side: Side): Message | undefined {
    if (side === 1) return undefined
    this.#scanned = 0
    const cut = this.#phase === 'message'
    this.#phase = 'command'
    const rest = this.#release()
    if (rest !== undefined && cut) rest.truncated = true
    return rest
  }

  #replyLength(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return 0
    const length = replyLength(bytes, start, end, this.#scannedReply)
    this.#scannedReply = length > 0 ? 0 : -length
    return Math.max(0, length)
  }

  #command({ bytes, start, end, length, time, endTime }: Frame): Message | readonly Message[] | undefined {
    const { copy, limits } = this.#connection
    const split = Math.min(end, start + this.#line)
    const head = copy(bytes, start, split)
    const verb = verbOf(head, 0, head.length)
    if (verb === 'AUTH') hideCredentials(head)
    else if (verb === UNKNOWN) {
      if (head.every((byte) => byte <= 0x20)) return undefined
      hideAll(head)
    }
    const message: Draft = { kind: 'request', head, start: time, end: endTime, size: length }
    this.#firstCommand = Math.min(this.#firstCommand, time)
    if (this.#chunk >= 0) {
      message.body = copy(bytes, split, Math.min(end, split + limits.body))
      if (message.body.length < this.#chunk) {
        message.bodySize = this.#chunk
        message.truncated = true
      }
    }
    this.#ask(verb, head)
    const before = this.#refused ? this.#release() : undefined
    this.#refused = false
    if (verb === 'DATA' || verb === 'AUTH') {
      message.more = true
      this.#open = verb
      this.#rest = { kind: 'request', from: 0, start: endTime, end: endTime, size: 0 }
    }
    return before === undefined ? message : [before, message]
  }

  #ask(verb: string, head: Uint8Array): void {
    const address = verb === 'MAIL' || verb === 'RCPT' ? addressOf(argumentOf(head)) : ''
    if (this.#asked.length >= this.#connection.limits.pending) this.#asked.shift()
    this.#asked.push({ verb, address })
    if (verb === 'DATA' || verb === 'AUTH' || verb === 'STARTTLS') this.#awaiting = true
    if (verb === 'LHLO') this.#lmtp = true
  }

  #message({ bytes, start, end, length, endTime }: Frame): Message | undefined {
    const ends = this.#cutter.ends
    const dots = ends ? (bytes[end - 2] === 0x0d ? 3 : 2) : 0
    this.#text ??= new Body(this.#connection)
    this.#text.append(bytes, start, Math.max(start, end - dots), length - dots)
    if (this.#rest !== undefined) {
      this.#rest.size = (this.#rest.size ?? 0) + length
      this.#rest.end = endTime
    }
    if (!ends) return undefined
    this.#phase = 'command'
    this.#owed = this.#lmtp ? Math.max(1, this.#accepted) : 1
    return this.#release()
  }

  /** The last part of what is open: its text, with the envelope that it travels in. */
  #release(): Draft | undefined {
    const rest = this.#rest
    const text = this.#text
    this.#open = ''
    this.#rest = undefined
    this.#text = undefined
    if (rest === undefined || text === undefined) {
      text?.drop()
      return rest
    }
    const { size } = text
    rest.body = text.take() ?? new Uint8Array(0)
    if (rest.body.length < size) {
      rest.bodySize = size
      rest.truncated = true
    }
    if (this.#from !== '') rest.fields = { from: this.#from, to: [...this.#to] }
    return rest
  }

  /** After the reply to DATA was lost: commands go on, or a message begins. False if that is not known yet. */
  #guess(bytes: Uint8Array, start: number, end: number): boolean {
    const verdict = probeLine(bytes, start, end, 0)
    if (verdict === 'more' && bytes.indexOf(0x0a, start) < 0 && end - start < MAX_COMMAND_LENGTH) return false
    this.#unsure = false
    if (verdict === 'no') this.#startMessage()
    else this.#refused = true
    return true
  }

  #startMessage(): void {
    this.#phase = 'message'
    this.#cutter.begin()
  }

  #reply({
    bytes,
    start,
    end,
    length,
    time,
    endTime,
  }: Frame): Message | readonly Message[] | Handoff | undefined {
    const message: Draft = {
      kind: 'response',
      head: this.#connection.copy(bytes, start, end),
      start: time,
      end: endTime,
      size: length,
    }
    if (end - start < length) message.truncated = true
    const code = (bytes[start] - 0x30) * 100 + (bytes[start + 1] - 0x30) * 10 + bytes[start + 2] - 0x30
    const asked = this.#asked[0]
    // Where the client made the protocol known, its command was read before the greeting.
    const greets = !this.#greeted && time <= this.#firstCommand
    this.#greeted = true
    if (greets || (asked === undefined && code === 421)) return { ...message, kind: 'event' }
    if (asked === undefined) return message
    if (code === 354 && asked.verb === 'DATA' && this.#awaiting) {
      this.#awaiting = false
      this.#startMessage()
      return undefined
    }
    if (code === 334 && asked.verb === 'AUTH') {
      this.#awaiting = false
      this.#phase = 'credentials'
      return undefined
    }
    if (asked.verb === 'DATA' && this.#owed > 1) return this.#firstOfSeveral(message)
    this.#asked.shift()
    return this.#answered(message, asked, code)
  }

  /** LMTP, RFC 2033 §4.2: one reply a recipient. The first is the head, the others the body. */
  #firstOfSeveral(message: Draft): Message {
    const first = this.#owed === Math.max(1, this.#accepted)
    this.#owed--
    const { head, ...rest } = message
    if (first || head === undefined) return { ...message, more: true }
    return { ...rest, body: head, more: true }
  }

  #answered(message: Draft, { verb, address }: Asked, code: number): Message | readonly Message[] | Handoff {
    const good = code < 400
    switch (verb) {
      case 'EHLO':
      case 'HELO':
      case 'LHLO':
      case 'RSET':
        this.#clear()
        break
      case 'MAIL':
        this.#clear()
        if (good) this.#from = address
        break
      case 'RCPT':
        if (!good) break
        this.#accepted++
        if (this.#to.length < MAX_RECIPIENTS) this.#to.push(address)
        break
      case 'STARTTLS':
        this.#awaiting = false
        if (code === 220) return { kind: 'handoff', to: 'tls', message }
        break
      case 'AUTH':
      case 'DATA':
        return this.#concluded(message, verb)
    }
    return message
  }

  /** The end of AUTH, or of a message; or DATA was refused, and there will be none. */
  #concluded(message: Draft, verb: string): Message | readonly Message[] {
    const waited = this.#awaiting || this.#phase === 'credentials'
    this.#awaiting = false
    const several = verb === 'DATA' && this.#lmtp && this.#accepted > 1 && !waited
    this.#owed = 0
    if (verb === 'DATA' && !waited) this.#clear()
    if (verb === 'AUTH' || this.#phase === 'credentials') this.#phase = 'command'
    const rest = waited ? this.#release() : undefined
    if (several && message.head !== undefined) {
      const { head, ...rest } = message
      return { ...rest, body: head }
    }
    return rest === undefined ? message : [rest, message]
  }

  #clear(): void {
    this.#from = ''
    this.#to = []
    this.#accepted = 0
  }
}
