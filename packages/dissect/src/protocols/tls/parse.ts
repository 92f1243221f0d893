import { Malformed, type Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../dissector.ts'
import type { FieldValue, Message } from '../../message.ts'
import { alertName, ENCRYPTED_ALERT, FATAL } from './alert.ts'
import { readCertificate } from './certificate.ts'
import { certificatesOf } from './certificate-list.ts'
import { mayBeRecord, payloadLength, RECORD, RECORD_HEADER, resync } from './frame.ts'
import { CLIENT_HELLO, EXTENSION, findExtension, SERVER_HELLO, uint16 } from './hello.ts'
import { chosenVersion, isRetry } from './server-hello.ts'
import { Talk } from './talk.ts'
import { TLS_1_3 } from './version.ts'

const CERTIFICATE = 11
const SERVER_KEY_EXCHANGE = 12
const CERTIFICATE_REQUEST = 13
/** RFC 8422 §5.4: the curve is named. */
const NAMED_CURVE = 3
/** A connection has one handshake. */
const KEY = 0
/** Bytes shown of what a server says that does not speak TLS. */
const SAMPLE = 256
/** An alert under TLS 1.3: two bytes, the true type, and a tag of 16 or 8 bytes (RFC 8446 §5.2). All else is longer. */
const SECRET_ALERTS = [19, 11]

type Draft = { -readonly [K in keyof Message]: Message[K] }

/**
 * The handshake of a connection: RFC 8446, RFC 5246 and what came before them. It is over when both sides encrypt, or
 * with an alert; what follows is nobody's to read and passes by.
 */
export class TlsConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new Talk()
  readonly #server = new Talk()
  #done = false
  #asked = false
  /** The client sends data before the server has answered. */
  #early = false
  #version = 0
  #hello: Uint8Array | undefined
  /** The server's certificates; of one that does not speak TLS, what it says instead. */
  #body: Uint8Array | undefined
  #bodySize = 0
  #fields: { [name: string]: FieldValue } = {}
  #told: Message[] = []

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const talk = side === 0 ? this.#client : this.#server
    if (this.#done || talk.foreign) return UNTIL_CLOSE
    if (start === end) return 0
    if (!mayBeRecord(bytes, start, end)) {
      if (side === 0 || !this.#asked || talk.size > 0 || talk.lost) throw new Malformed('no record')
      talk.foreign = true
      return UNTIL_CLOSE
    }
    if (end - start < RECORD_HEADER) return 0
    talk.recordType = bytes[start]
    return RECORD_HEADER + payloadLength(bytes, start)
  }

  keep(side: Side): number {
    const { foreign, recordType, changed } = side === 0 ? this.#client : this.#server
    if (this.#done) return 0
    if (foreign) return SAMPLE
    return recordType === RECORD.handshake && !changed ? UNTIL_CLOSE : RECORD_HEADER + 2
  }

  decode(frame: Frame, side: Side): readonly Message[] | undefined {
    if (this.#done) return undefined
    const talk = side === 0 ? this.#client : this.#server
    if (talk.start < 0) talk.start = frame.time
    talk.size += frame.length
    if (talk.foreign) this.#answerForeign(frame)
    else if (frame.end - frame.start >= RECORD_HEADER) this.#record(talk, frame, side)
    return this.#tell()
  }

  resync(bytes: Uint8Array, start: number, end: number): number {
    return resync(bytes, start, end)
  }

  lost(side: Side): undefined {
    const talk = side === 0 ? this.#client : this.#server
    talk.lose()
  }

  finish(side: Side): readonly Message[] | undefined {
    const talk = side === 0 ? this.#client : this.#server
    talk.finished = true
    if (this.#done) return undefined
    talk.end()
    if (this.#client.finished && this.#server.finished && this.#server.size > 0) {
      const { closed } = this.#connection.flow
      if (closed === 'reset') this.#fields.ended = 'reset'
      else if (closed === undefined || closed === 'fin') this.#fields.ended = 'closed'
      this.#answer()
    }
    return this.#tell()
  }

  #record(talk: Talk, frame: Frame, side: Side): void {
    const { bytes, start, end, endTime } = frame
    const length = frame.length - RECORD_HEADER
    switch (bytes[start]) {
      case RECORD.handshake:
        if (!talk.changed) this.#handshake(talk, bytes, start + RECORD_HEADER, end, length, side)
        return
      case RECORD.changeCipherSpec:
        this.#change(talk, side, endTime)
        return
      case RECORD.alert:
        this.#alert(talk, bytes, start + RECORD_HEADER, end, length, side, endTime)
        return
      case RECORD.applicationData:
        this.#secret(talk, length, side, endTime)
    }
  }

  #handshake(talk: Talk, bytes: Uint8Array, start: number, end: number, length: number, side: Side): void {
    const messages = talk.messages(this.#connection, (held, from, to, whole) =>
      side === 0 ? this.#fromClient(held, from, to, whole) : this.#fromServer(held, from, to, whole),
    )
    messages.add(bytes, start, end, length - (end - start))
  }

  #fromClient(bytes: Uint8Array, start: number, end: number, length: number): void {
    if (bytes[start] === CERTIFICATE) this.#clientCertificate(bytes, start, end)
    if (bytes[start] !== CLIENT_HELLO || this.#asked) return
    this.#asked = true
    this.#early = findExtension(bytes, start, end, EXTENSION.earlyData) >= 0
    const request: Draft = {
      kind: 'request',
      from: 0,
      key: KEY,
      head: this.#connection.copy(bytes, start, end),
    }
    if (end - start < length) request.truncated = true
    const { context } = this.#connection
    if (typeof context?.protocol === 'string') request.fields = { started_by: context.protocol }
    this.#told.push(request)
  }

  #fromServer(bytes: Uint8Array, start: number, end: number, length: number): void {
    switch (bytes[start]) {
      case SERVER_HELLO:
        this.#version = chosenVersion(bytes, start, end)
        if (isRetry(bytes, start, end)) this.#fields.hello_retry = true
        else this.#hello = this.#connection.copy(bytes, start, end)
        return
      case CERTIFICATE:
        if (this.#body !== undefined) return
        this.#body = this.#connection.copy(bytes, start, end)
        this.#bodySize = length
        return
      case SERVER_KEY_EXCHANGE:
        if (end - start >= 7 && bytes[start + 4] === NAMED_CURVE)
          this.#fields.group = uint16(bytes, start + 5)
        return
      case CERTIFICATE_REQUEST:
        this.#fields.client_certificate_requested = true
    }
  }

  #clientCertificate(bytes: Uint8Array, start: number, end: number): void {
    const [first] = certificatesOf(bytes.subarray(start, end))
    const read = first === undefined ? undefined : readCertificate(first)
    if (read !== undefined) this.#fields.client_certificate = { ...read, sans: read.sans.slice(0, 16) }
  }

  /** TLS 1.3 sends it for the sake of old middleboxes alone (RFC 8446 §D.4), a client perhaps before the answer. */
  #change(talk: Talk, side: Side, time: number): void {
    if (this.#version >= TLS_1_3 || (side === 0 && this.#version === 0 && !this.#server.lost)) return
    talk.changed = true
    // Whoever is the first of the two to change has not been sent anything to check: the session is an old one.
    if (
      side === 1 &&
      this.#hello !== undefined &&
      !talk.lost &&
      this.#body === undefined &&
      !this.#client.changed
    )
      this.#fields.resumed = true
    this.#settle(time)
  }

  #alert(
    talk: Talk,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    side: Side,
    time: number,
  ): void {
    if (!this.#asked && this.#hello === undefined) {
      this.#done = true
      return
    }
    const readable = length === 2 && end - start >= 2 && !talk.changed
    const level = readable ? bytes[start] : FATAL
    this.#fields.alert = readable ? alertName(bytes[start + 1]) : ENCRYPTED_ALERT
    this.#fields.alert_by = side === 0 ? 'client' : 'server'
    if (level !== FATAL && this.#version < TLS_1_3 && bytes[start + 1] !== 0) return
    this.#fields.failed = true
    this.#answer(time)
  }

  #secret(talk: Talk, length: number, side: Side, time: number): void {
    if (!this.#asked && this.#hello === undefined) {
      this.#done = true
      return
    }
    const first = !talk.secret
    talk.secret = true
    const early = side === 0 && this.#early
    if (first && !early && this.#version >= TLS_1_3 && SECRET_ALERTS.includes(length)) {
      this.#fields.alert = ENCRYPTED_ALERT
      this.#fields.alert_by = side === 0 ? 'client' : 'server'
      this.#fields.failed = true
      this.#answer(time)
      return
    }
    // A server has data only after the whole handshake; a client may be faster (RFC 7918).
    if (side === 1 && this.#version > 0 && this.#version < TLS_1_3) this.#client.secret = true
    this.#settle(time)
  }

  #settle(time: number): void {
    const client = this.#client.secret || this.#client.changed
    const server = this.#server.secret || this.#server.changed
    if (!client || !server) return
    this.#fields.complete = true
    this.#answer(time)
  }

  #answerForeign({ bytes, start, end, endTime, length }: Frame): void {
    this.#fields.failed = true
    this.#fields.not_tls = true
    this.#body = this.#connection.copy(bytes, start, end)
    this.#bodySize = length
    this.#answer(endTime)
  }

  /** The answer is complete, or nothing more will come of it. */
  #answer(time?: number): void {
    this.#client.end()
    this.#server.end()
    const { start, size, lost } = this.#server
    const response: Draft = { kind: 'response', from: 1, key: KEY, fields: this.#fields, size }
    if (start >= 0) response.start = start
    if (time !== undefined) response.end = time
    if (this.#hello !== undefined) response.head = this.#hello
    if (this.#body !== undefined) {
      response.body = this.#body
      if (this.#body.length < this.#bodySize) {
        response.bodySize = this.#bodySize
        response.truncated = true
      }
    }
    if (lost) response.truncated = true
    this.#told.push(response)
    this.#done = true
    this.#hello = undefined
    this.#body = undefined
  }

  #tell(): readonly Message[] | undefined {
    if (this.#told.length === 0) return undefined
    const told = this.#told
    this.#told = []
    return told
  }
}
