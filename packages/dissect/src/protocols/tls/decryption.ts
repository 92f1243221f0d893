import {
  type ClosedReason,
  CONTENT_TYPE,
  ConnectionDecryptor,
  type ConnectionSecrets,
  type OpenedRecord,
} from '@tapdeck/tls'
import type { Side } from '@tapdeck/wire'
import type { TlsSession } from '../../contract/call.ts'
import type { Connection, Frame, PlaintextSink } from '../../contract/dissector.ts'
import { copyOf } from '../../memory/arena.ts'
import { cipherSuiteName } from './cipher-suites.ts'
import { serverNameOf } from './client-hello.ts'
import { EXTENSION, findExtension } from './hello.ts'
import { readServerHello, type ServerHello } from './server-hello.ts'
import { describeSession, withCertificate } from './session.ts'
import { TLS_1_3 } from './version.ts'

/** The random of a hello message follows its type, length and version. */
const RANDOM_AT = 6
const RANDOM_LENGTH = 32
/** Records that are kept until the cipher and the secrets are known. */
const MAX_HELD_BYTES = 256 * 1024
/** How long records are kept for secrets that arrive late, microseconds of packet time. */
const MAX_WAIT = 2_000_000
/** An alert: level and description; 0 is close_notify. */
const CLOSE_NOTIFY = 0
const CLIENT_HELLO = 1

/** A record that could not be opened yet; without bytes: it or others of that side were lost. */
interface HeldRecord {
  readonly side: Side
  readonly record: Uint8Array | undefined
  readonly time: number
  /** How many records were lost; undefined: not known. */
  readonly records?: number | undefined
}

/** The conversation that owns a decryption. */
export interface DecryptionListener {
  /** A decrypted record of handshake messages. */
  handshake(side: Side, bytes: Uint8Array): void
  /** Late secrets have opened the records up to the end of the handshake. */
  handshakeOpened(): void
}

/**
 * Decrypts the records of one connection if its secrets are known. Application data goes to the connection's plaintext
 * sink, handshake messages go to the listener.
 */
export class Decryption {
  readonly #connection: Connection
  readonly #listener: DecryptionListener
  #clientRandom: Uint8Array | undefined
  #sni: string | undefined
  #hello: Uint8Array | undefined
  #isTls13 = false
  #decryptor: ConnectionDecryptor | undefined
  #sink: PlaintextSink | undefined
  #session: TlsSession = {}
  #certificate: Uint8Array | undefined
  #held: HeldRecord[] = []
  #heldBytes = 0
  /** How many of them belong to the handshake, once it is over. */
  #heldOfHandshake: number | undefined
  /** Packet time from which on secrets are waited for; undefined: they are not. */
  #waitingSince: number | undefined
  /** Why the connection cannot be opened. Undefined while that is not known. */
  reason: ClosedReason | undefined

  constructor(connection: Connection, listener: DecryptionListener) {
    this.#connection = connection
    this.#listener = listener
  }

  /** Decryption for this connection; undefined if there are no keys at all. */
  static of(connection: Connection, listener: DecryptionListener): Decryption | undefined {
    return connection.keys === undefined ? undefined : new Decryption(connection, listener)
  }

  /** Whether more records are wanted. */
  get isActive(): boolean {
    return this.reason === undefined
  }

  /** Whether the secrets may still arrive. */
  get isWaiting(): boolean {
    return this.#waitingSince !== undefined && this.reason === undefined
  }

  get hasOpened(): boolean {
    return (this.#decryptor?.openedRecords ?? 0) > 0
  }

  clientHello(bytes: Uint8Array, start: number, end: number): void {
    if (this.#clientRandom !== undefined || end - start < RANDOM_AT + RANDOM_LENGTH) return
    this.#clientRandom = copyOf(bytes, start + RANDOM_AT, start + RANDOM_AT + RANDOM_LENGTH)
    this.#sni = serverNameOf(bytes.subarray(start, end))
  }

  /** The server has chosen version and cipher. */
  serverHello(hello: Uint8Array): void {
    if (this.reason !== undefined || this.#decryptor !== undefined || this.#hello !== undefined) return
    this.#hello = hello
    this.#create(this.#connection.flow.last)
  }

  /** The server's list of certificates, in the form of TLS 1.2. */
  certificate(message: Uint8Array): void {
    this.#certificate = copyOf(message, 0, message.length)
    this.#describe()
  }

  /** An encrypted record, header included. */
  record(frame: Frame, side: Side): void {
    if (this.reason !== undefined) return
    const { bytes, start, end, length, endTime } = frame
    if (end - start < length) {
      this.lost(side, endTime, 1)
      return
    }
    if (this.isWaiting) this.#create(endTime)
    const record = bytes.subarray(start, end)
    if (this.#decryptor !== undefined) this.#open(side, record, endTime)
    else if (this.reason !== undefined) return
    else if (this.isWaiting) this.#hold({ side, record, time: endTime })
    else if (side === 0 && this.#clientRandom !== undefined) this.#hold({ side, record, time: endTime })
    else this.reason = 'handshake_not_recorded'
  }

  /** Bytes of that side were lost. `records`: how many records they were, if that is known. */
  lost(side: Side, time: number, records?: number): void {
    if (this.reason !== undefined) return
    if (this.isWaiting) this.#hold({ side, record: undefined, time, records })
    this.#decryptor?.lost(side, records)
    this.#sink?.gap(side, time)
  }

  finish(side: Side, time: number): void {
    if (this.isWaiting) this.#create(Number.POSITIVE_INFINITY)
    this.#release()
    if (this.reason === undefined && this.#decryptor !== undefined) this.#sink?.finish(side, time)
  }

  /** The handshake is over, and its secrets are waited for. */
  handshakeHeld(): void {
    this.#heldOfHandshake ??= this.#held.length
  }

  /** Looks for late secrets again, and stops waiting for them when it is time. */
  retry(now: number): void {
    if (this.isWaiting) this.#create(now)
  }

  #create(now: number): void {
    const { keys, flow } = this.#connection
    const hello = this.#hello
    const clientRandom = this.#clientRandom
    if (hello === undefined || keys === undefined) return
    const server = readServerHello(hello)
    if (clientRandom === undefined || server.cipherSuite === undefined) {
      this.reason = 'handshake_not_recorded'
      return
    }
    this.#isTls13 = server.version >= TLS_1_3
    const random = Buffer.from(clientRandom).toString('hex')
    this.#waitingSince ??= flow.last
    const mayArrive = keys.isLate === true && now - this.#waitingSince <= MAX_WAIT
    const secrets = keys.secretsOf(random)
    const isPartial = this.#isTls13 && secrets !== undefined && !isComplete(secrets)
    const made = ConnectionDecryptor.create(
      {
        version: server.version,
        suite: cipherSuiteName(server.cipherSuite),
        clientRandom,
        serverRandom: copyOf(hello, RANDOM_AT, RANDOM_AT + RANDOM_LENGTH),
        encryptThenMac: findExtension(hello, 0, hello.length, EXTENSION.encryptThenMac) >= 0,
      },
      isPartial && mayArrive ? undefined : secrets,
    )
    if (typeof made !== 'string') this.#start(made, server, keys.originOf?.(random))
    else if (made !== 'no_key') this.reason = made
    else if (!mayArrive) this.reason = made
    if (this.reason !== undefined) this.#release()
  }

  #start(decryptor: ConnectionDecryptor, server: ServerHello, origin: string | undefined): void {
    this.#waitingSince = undefined
    this.#decryptor = decryptor
    this.#session = describeSession(server, this.#sni, origin)
    this.#describe()
    this.#sink = this.#connection.plaintext?.(() => this.#session)
    const held = this.#held
    const ofHandshake = this.#heldOfHandshake ?? held.length
    this.#release()
    this.#replay(held.slice(0, ofHandshake))
    this.#listener.handshakeOpened()
    this.#replay(held.slice(ofHandshake))
  }

  #replay(held: readonly HeldRecord[]): void {
    for (const { side, record, time, records } of held) {
      if (record === undefined) this.lost(side, time, records)
      else if (this.reason === undefined) this.#open(side, record, time)
    }
  }

  #describe(): void {
    if (this.#decryptor === undefined || this.#certificate === undefined) return
    this.#session = withCertificate(this.#session, this.#certificate, this.#connection.flow.last)
  }

  #open(side: Side, record: Uint8Array, time: number): void {
    const decryptor = this.#decryptor
    if (decryptor === undefined) return
    const opened = decryptor.open(side, record)
    if (opened !== undefined) this.#opened(side, opened, time)
    else if (decryptor.openedRecords > 0 && !decryptor.gaveUp(side)) this.#sink?.gap(side, time)
    else if (decryptor.gaveUp(0) && decryptor.gaveUp(1)) this.reason = 'wrong_key'
  }

  #opened(side: Side, { type, bytes }: OpenedRecord, time: number): void {
    if (type === CONTENT_TYPE.applicationData) {
      if (bytes.length > 0) this.#sink?.data(side, bytes, time)
    } else if (type === CONTENT_TYPE.handshake) {
      // TLS 1.2 negotiates new keys under the old ones, and the new secrets are in no key log.
      if (!this.#isTls13 && bytes[0] === CLIENT_HELLO) this.reason = 'renegotiated'
      else this.#listener.handshake(side, bytes)
    } else if (type === CONTENT_TYPE.alert && bytes[1] === CLOSE_NOTIFY) this.#sink?.finish(side, time)
  }

  #hold({ side, record, time, records }: HeldRecord): void {
    const length = record?.length ?? 1
    if (this.#heldBytes + length > MAX_HELD_BYTES || !this.#connection.budget.take(length)) {
      // Early data is skipped; what comes after the handshake must be complete.
      if (this.isWaiting) this.reason = 'no_key'
      if (this.reason !== undefined) this.#release()
      return
    }
    this.#heldBytes += length
    this.#held.push({ side, record: record && copyOf(record, 0, length), time, records })
  }

  #release(): void {
    this.#connection.budget.give(this.#heldBytes)
    this.#heldBytes = 0
    this.#held = []
  }
}

/** The secrets of TLS 1.3 are logged one after the other, those of application data last. */
function isComplete(secrets: ConnectionSecrets): boolean {
  return secrets.CLIENT_TRAFFIC_SECRET_0 !== undefined && secrets.SERVER_TRAFFIC_SECRET_0 !== undefined
}
