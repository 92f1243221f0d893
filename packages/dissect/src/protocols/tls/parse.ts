import { Malformed, type Side } from '@tapdeck/wire'
import { type Connection, type Conversation, type Frame, UNTIL_CLOSE } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { alertName, ENCRYPTED_ALERT, FATAL } from './alert.ts'
import { readCertificate } from './certificate.ts'
import { certificatesOf, withoutExtensions } from './certificate-list.ts'
import { Decryption } from './decryption.ts'
import { mayBeRecord, payloadLength, RECORD, RECORD_HEADER, resync } from './frame.ts'
import { CLIENT_HELLO, EXTENSION, findExtension, SERVER_HELLO, uint16 } from './hello.ts'
import { chosenVersion, isRetry } from './server-hello.ts'
import { SideState } from './side-state.ts'
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
 * with an alert; what follows is encrypted and skipped.
 */
export class TlsConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new SideState()
  readonly #server = new SideState()
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
  #emitted: Message[] = []
  readonly #decryption: Decryption | undefined
  /** The messages that are read now were encrypted. */
  #isOpening = false
  /** The answer waits for late secrets since this time. */
  #postponed: { readonly time: number | undefined } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.#decryption = Decryption.of(connection, {
      handshake: (side, bytes) => this.#decryptedHandshake(side, bytes),
      handshakeOpened: () => this.#deliverPostponed(),
    })
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const state = side === 0 ? this.#client : this.#server
    if ((this.#done && this.#decryption?.isActive !== true) || state.foreign) return UNTIL_CLOSE
    if (start === end) return 0
    if (!mayBeRecord(bytes, start, end)) {
      if (side === 0 || !this.#asked || state.size > 0 || state.lost) throw new Malformed('no record')
      state.foreign = true
      return UNTIL_CLOSE
    }
    if (end - start < RECORD_HEADER) return 0
    state.recordType = bytes[start]
    return RECORD_HEADER + payloadLength(bytes, start)
  }

  keep(side: Side): number {
    const { foreign, recordType, changed } = side === 0 ? this.#client : this.#server
    const isWanted =
      this.#decryption?.isActive === true && (this.#done || changed || recordType !== RECORD.handshake)
    if (isWanted) return UNTIL_CLOSE
    if (this.#done) return 0
    if (foreign) return SAMPLE
    return recordType === RECORD.handshake && !changed ? UNTIL_CLOSE : RECORD_HEADER + 2
  }

  decode(frame: Frame, side: Side): readonly Message[] | undefined {
    const state = side === 0 ? this.#client : this.#server
    if (this.#isEncrypted(frame, state)) this.#decryption?.record(frame, side)
    this.#answerPostponed()
    if (this.#done || this.#postponed !== undefined) return this.#tell()
    if (state.start < 0) state.start = frame.time
    state.size += frame.length
    if (state.foreign) this.#answerForeign(frame)
    else if (frame.end - frame.start >= RECORD_HEADER) this.#record(state, frame, side)
    return this.#tell()
  }

  /** Before TLS 1.3, all records after ChangeCipherSpec are encrypted; since then, those of application data. */
  #isEncrypted({ bytes, start, end }: Frame, { changed, foreign }: SideState): boolean {
    if (foreign || end - start < RECORD_HEADER || bytes[start] === RECORD.changeCipherSpec) return false
    return changed || bytes[start] === RECORD.applicationData
  }

  resync(bytes: Uint8Array, start: number, end: number): number {
    return resync(bytes, start, end)
  }

  lost(side: Side): undefined {
    const state = side === 0 ? this.#client : this.#server
    state.lose()
    this.#decryption?.lost(side, this.#connection.flow.last)
  }

  finish(side: Side): readonly Message[] | undefined {
    const state = side === 0 ? this.#client : this.#server
    state.finished = true
    this.#decryption?.finish(side, this.#connection.flow.last)
    this.#answerPostponed()
    if (this.#done) return this.#tell()
    state.end()
    if (this.#client.finished && this.#server.finished && this.#server.size > 0) {
      const { closed } = this.#connection.flow
      if (closed === 'reset') this.#fields.ended = 'reset'
      else if (closed === undefined || closed === 'fin') this.#fields.ended = 'closed'
      this.#answer()
    }
    return this.#tell()
  }

  overdue(now: number): readonly Message[] | undefined {
    this.#decryption?.retry(now)
    this.#answerPostponed()
    return this.#tell()
  }

  #record(state: SideState, frame: Frame, side: Side): void {
    const { bytes, start, end, endTime } = frame
    const length = frame.length - RECORD_HEADER
    switch (bytes[start]) {
      case RECORD.handshake:
        if (!state.changed) this.#handshake(state, bytes, start + RECORD_HEADER, end, length, side)
        return
      case RECORD.changeCipherSpec:
        this.#change(state, side, endTime)
        return
      case RECORD.alert:
        this.#alert(readAlert(state, bytes, start + RECORD_HEADER, end, length), side, endTime)
        return
      case RECORD.applicationData:
        this.#secret(state, length, side, endTime)
    }
  }

  #handshake(
    state: SideState,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    side: Side,
  ): void {
    const messages = state.messages(this.#connection, (held, from, to, whole) =>
      side === 0 ? this.#fromClient(held, from, to, whole) : this.#fromServer(held, from, to, whole),
    )
    messages.add(bytes, start, end, length - (end - start))
  }

  #fromClient(bytes: Uint8Array, start: number, end: number, length: number): void {
    if (bytes[start] === CERTIFICATE) this.#clientCertificate(bytes, start, end)
    if (bytes[start] !== CLIENT_HELLO || this.#asked) return
    this.#asked = true
    this.#decryption?.clientHello(bytes, start, end)
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
    this.#emitted.push(request)
  }

  #fromServer(bytes: Uint8Array, start: number, end: number, length: number): void {
    switch (bytes[start]) {
      case SERVER_HELLO:
        this.#version = chosenVersion(bytes, start, end)
        if (isRetry(bytes, start, end)) this.#fields.hello_retry = true
        else {
          this.#hello = this.#connection.copy(bytes, start, end)
          this.#decryption?.serverHello(this.#hello)
        }
        return
      case CERTIFICATE: {
        if (this.#body !== undefined) return
        const message = this.#connection.copy(bytes, start, end)
        const certificates = this.#version >= TLS_1_3 ? withoutExtensions(message) : message
        this.#decryption?.certificate(certificates)
        if (this.#isConcealed()) return
        this.#body = certificates
        this.#bodySize = this.#version >= TLS_1_3 ? certificates.length : length
        return
      }
      case SERVER_KEY_EXCHANGE:
        if (end - start >= 7 && bytes[start + 4] === NAMED_CURVE)
          this.#fields.group = uint16(bytes, start + 5)
        return
      case CERTIFICATE_REQUEST:
        if (!this.#isConcealed()) this.#fields.client_certificate_requested = true
    }
  }

  /** Handshake messages that were encrypted: all of TLS 1.3 after the hello messages. */
  #decryptedHandshake(side: Side, bytes: Uint8Array): void {
    if (this.#done) return
    const state = side === 0 ? this.#client : this.#server
    this.#isOpening = true
    this.#handshake(state, bytes, 0, bytes.length, bytes.length, side)
    this.#isOpening = false
  }

  /** Whether what is read now must not be in the call of the handshake. */
  #isConcealed(): boolean {
    return this.#isOpening && this.#connection.concealsDecrypted === true
  }

  #clientCertificate(bytes: Uint8Array, start: number, end: number): void {
    if (this.#isConcealed()) return
    const message = bytes.subarray(start, end)
    const [first] = certificatesOf(this.#version >= TLS_1_3 ? withoutExtensions(message) : message)
    const read = first === undefined ? undefined : readCertificate(first)
    if (read !== undefined) this.#fields.client_certificate = { ...read, sans: read.sans.slice(0, 16) }
  }

  /** TLS 1.3 sends it for the sake of old middleboxes alone (RFC 8446 §D.4), a client perhaps before the answer. */
  #change(state: SideState, side: Side, time: number): void {
    if (this.#version >= TLS_1_3 || (side === 0 && this.#version === 0 && !this.#server.lost)) return
    state.changed = true
    // The side that changes first has received nothing to verify: the session is resumed.
    if (
      side === 1 &&
      this.#hello !== undefined &&
      !state.lost &&
      this.#body === undefined &&
      !this.#client.changed
    )
      this.#fields.resumed = true
    this.#settle(time)
  }

  #alert({ level, description }: Alert, side: Side, time: number): void {
    if (!this.#asked && this.#hello === undefined) {
      this.#done = true
      return
    }
    this.#fields.alert = description < 0 ? ENCRYPTED_ALERT : alertName(description)
    this.#fields.alert_by = side === 0 ? 'client' : 'server'
    if (level !== FATAL && this.#version < TLS_1_3 && description !== 0) return
    this.#fields.failed = true
    this.#answer(time)
  }

  #secret(state: SideState, length: number, side: Side, time: number): void {
    if (!this.#asked && this.#hello === undefined) {
      this.#done = true
      return
    }
    const first = !state.secret
    state.secret = true
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
    if (this.#decryption?.isWaiting === true) {
      this.#postponed ??= { time }
      this.#decryption.handshakeHeld()
      return
    }
    if (this.#decryption !== undefined) {
      const { reason } = this.#decryption
      if (reason === undefined) this.#fields.decrypted = true
      else this.#fields.not_decrypted = reason
    }
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
    this.#emitted.push(response)
    this.#done = true
    this.#hello = undefined
    this.#body = undefined
  }

  #answerPostponed(): void {
    const postponed = this.#postponed
    if (postponed === undefined || this.#decryption?.isWaiting === true) return
    this.#postponed = undefined
    if (!this.#done) this.#answer(postponed.time)
  }

  /** The call of the handshake precedes those inside, whenever the secrets arrive. */
  #deliverPostponed(): void {
    if (this.#postponed === undefined) return
    this.#answerPostponed()
    this.#connection.deliver?.(this.#tell() ?? [])
  }

  #tell(): readonly Message[] | undefined {
    if (this.#emitted.length === 0) return undefined
    const emitted = this.#emitted
    this.#emitted = []
    return emitted
  }
}

interface Alert {
  readonly level: number
  /** -1: encrypted. */
  readonly description: number
}

/** An alert of `length` bytes, of which `bytes[start, end)` is there. */
function readAlert(state: SideState, bytes: Uint8Array, start: number, end: number, length: number): Alert {
  const isReadable = length === 2 && end - start >= 2 && !state.changed
  return isReadable
    ? { level: bytes[start], description: bytes[start + 1] }
    : { level: FATAL, description: -1 }
}
