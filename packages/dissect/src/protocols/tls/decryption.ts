import { type ClosedReason, CONTENT_TYPE, ConnectionDecryptor, type OpenedRecord } from '@tapdeck/tls'
import type { Side } from '@tapdeck/wire'
import type { Connection, Frame, PlaintextSink } from '../../contract/dissector.ts'
import { copyOf } from '../../memory/arena.ts'
import { cipherSuiteName } from './cipher-suites.ts'
import { EXTENSION, findExtension } from './hello.ts'
import { chosenVersion, readServerHello } from './server-hello.ts'
import { TLS_1_3 } from './version.ts'

/** The random of a hello message follows its type, length and version. */
const RANDOM_AT = 6
const RANDOM_LENGTH = 32
/** Early data that is kept until the server has chosen the cipher. */
const MAX_EARLY_BYTES = 64 * 1024
/** An alert: level and description; 0 is close_notify. */
const CLOSE_NOTIFY = 0
const CLIENT_HELLO = 1

/**
 * Decrypts the records of one connection if its secrets are known. Application data goes to the connection's plaintext
 * sink, handshake messages go to the caller.
 */
export class Decryption {
  readonly #connection: Connection
  readonly #handshake: (side: Side, bytes: Uint8Array) => void
  #clientRandom: Uint8Array | undefined
  #isTls13 = false
  #decryptor: ConnectionDecryptor | undefined
  #sink: PlaintextSink | undefined
  /** Client records before the server's hello message. */
  #early: { readonly record: Uint8Array; readonly time: number }[] = []
  #earlyBytes = 0
  /** Why the connection cannot be opened. Undefined while that is not known. */
  reason: ClosedReason | undefined

  constructor(connection: Connection, handshake: (side: Side, bytes: Uint8Array) => void) {
    this.#connection = connection
    this.#handshake = handshake
  }

  /** Decryption for this connection; undefined if there are no keys at all. */
  static of(
    connection: Connection,
    handshake: (side: Side, bytes: Uint8Array) => void,
  ): Decryption | undefined {
    return connection.keys === undefined ? undefined : new Decryption(connection, handshake)
  }

  /** Whether more records are wanted. */
  get isActive(): boolean {
    return this.reason === undefined
  }

  get hasOpened(): boolean {
    return (this.#decryptor?.openedRecords ?? 0) > 0
  }

  clientHello(bytes: Uint8Array, start: number, end: number): void {
    if (this.#clientRandom === undefined && end - start >= RANDOM_AT + RANDOM_LENGTH)
      this.#clientRandom = copyOf(bytes, start + RANDOM_AT, start + RANDOM_AT + RANDOM_LENGTH)
  }

  /** The server has chosen version and cipher. */
  serverHello(hello: Uint8Array): void {
    if (this.reason !== undefined || this.#decryptor !== undefined) return
    const clientRandom = this.#clientRandom
    const { cipherSuite } = readServerHello(hello)
    if (clientRandom === undefined || cipherSuite === undefined) {
      this.reason = 'handshake_not_recorded'
      return
    }
    const version = chosenVersion(hello, 0, hello.length)
    this.#isTls13 = version >= TLS_1_3
    const made = ConnectionDecryptor.create(
      {
        version,
        suite: cipherSuiteName(cipherSuite),
        clientRandom,
        serverRandom: copyOf(hello, RANDOM_AT, RANDOM_AT + RANDOM_LENGTH),
        encryptThenMac: findExtension(hello, 0, hello.length, EXTENSION.encryptThenMac) >= 0,
      },
      this.#connection.keys?.secretsOf(Buffer.from(clientRandom).toString('hex')),
    )
    if (typeof made === 'string') this.reason = made
    else {
      this.#decryptor = made
      this.#sink = this.#connection.plaintext?.()
    }
    const early = this.#early
    this.#releaseEarly()
    for (const { record, time } of early) this.#open(0, record, time)
  }

  /** An encrypted record, header included. */
  record(frame: Frame, side: Side): void {
    if (this.reason !== undefined) return
    const { bytes, start, end, length, endTime } = frame
    if (end - start < length) {
      this.lost(side, endTime)
      return
    }
    const record = bytes.subarray(start, end)
    if (this.#decryptor !== undefined) this.#open(side, record, endTime)
    else if (side === 0 && this.#clientRandom !== undefined) this.#keepEarly(record, endTime)
    else this.reason = 'handshake_not_recorded'
  }

  lost(side: Side, time: number): void {
    if (this.reason !== undefined) return
    this.#decryptor?.lost(side)
    this.#sink?.gap(side, time)
  }

  finish(side: Side, time: number): void {
    this.#releaseEarly()
    if (this.reason === undefined && this.#decryptor !== undefined) this.#sink?.finish(side, time)
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
      else this.#handshake(side, bytes)
    } else if (type === CONTENT_TYPE.alert && bytes[1] === CLOSE_NOTIFY) this.#sink?.finish(side, time)
  }

  #keepEarly(record: Uint8Array, time: number): void {
    const { length } = record
    if (this.#earlyBytes + length > MAX_EARLY_BYTES || !this.#connection.budget.take(length)) return
    this.#earlyBytes += length
    this.#early.push({ record: copyOf(record, 0, length), time })
  }

  #releaseEarly(): void {
    this.#connection.budget.give(this.#earlyBytes)
    this.#earlyBytes = 0
    this.#early = []
  }
}
