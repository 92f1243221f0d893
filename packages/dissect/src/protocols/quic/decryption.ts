import {
  type CipherSpec,
  type ClosedReason,
  type ConnectionSecrets,
  cipherSpec,
  PacketOpener,
  type PacketPlace,
  QuicCipher,
} from '@tapdeck/tls'
import { Malformed, type Side } from '@tapdeck/wire'
import type { TlsSession } from '../../contract/call.ts'
import type { Connection } from '../../contract/dissector.ts'
import { copyOf } from '../../memory/arena.ts'
import { withoutExtensions } from '../tls/certificate-list.ts'
import { cipherSuiteName } from '../tls/cipher-suites.ts'
import { readClientHello } from '../tls/client-hello.ts'
import { readServerHello, type ServerHello } from '../tls/server-hello.ts'
import { describeSession, withCertificate } from '../tls/session.ts'
import { ConnectionStreams } from './connection-streams.ts'
import { CryptoStream } from './crypto-stream.ts'
import { chosenProtocol } from './encrypted-extensions.ts'
import { type FrameListener, readFrames } from './frames.ts'
import { SegmentSizes } from './segment-sizes.ts'
import type { QuicVersion } from './version.ts'

/** The random of a hello message follows its type, length and version. */
const RANDOM_AT = 6
const RANDOM_LENGTH = 32
const [ENCRYPTED_EXTENSIONS, CERTIFICATE] = [8, 11]
/** Packets that are kept until the cipher and the secrets are known. */
const MAX_HELD_BYTES = 256 * 1024
/** What a packet that is kept takes beside its bytes. */
const OVERHEAD = 256
/** From the packet number on: with less there is no sample of the ciphertext (RFC 9001 §5.4.2), and no key opens it. */
const MIN_LENGTH = 20
/** How long packets are kept for secrets that arrive late, microseconds of packet time. */
const MAX_WAIT = 2_000_000

/** The packets that secrets of their own protect. */
export type PacketKind = 'early' | 'handshake' | 'application'

interface HeldPacket {
  readonly kind: PacketKind
  readonly side: Side
  readonly bytes: Uint8Array
  readonly place: PacketPlace
  readonly time: number
}

type Openers = {
  readonly [kind in PacketKind]?: readonly [PacketOpener | undefined, PacketOpener | undefined]
}

/**
 * Decrypts the packets of one connection if its secrets are known (RFC 9001). The bytes of its streams go to the connection's
 * plaintext sink, as chunks for the protocol that the client asked for.
 */
export class QuicDecryption {
  readonly #connection: Connection
  readonly #opened: () => void
  #hello: { readonly random: string; readonly sni: string | undefined; readonly isHttp3: boolean } | undefined
  #server: ServerHello | undefined
  #label = 'quic'
  #openers: Openers | undefined
  #streams: ConnectionStreams | undefined
  #session: TlsSession = {}
  readonly #crypto = new CryptoStream()
  readonly #sizes = [new SegmentSizes(), new SegmentSizes()] as const
  #held: HeldPacket[] = []
  #heldBytes = 0
  #waitingSince: number | undefined
  /** Why the connection cannot be opened. Undefined while that is not known. */
  reason: ClosedReason | undefined

  /** `opened` is called when late secrets have arrived, before the packets that they open are read. */
  constructor(connection: Connection, opened: () => void) {
    this.#connection = connection
    this.#opened = opened
  }

  /** Whether the secrets may still arrive. */
  get isWaiting(): boolean {
    return this.#waitingSince !== undefined && this.#openers === undefined && this.reason === undefined
  }

  clientHello(hello: Uint8Array): void {
    if (this.#server !== undefined || hello.length < RANDOM_AT + RANDOM_LENGTH) return
    const random = Buffer.from(copyOf(hello, RANDOM_AT, RANDOM_AT + RANDOM_LENGTH)).toString('hex')
    const { sni, alpn } = readClientHello(hello)
    this.#hello = { random, sni, isHttp3: alpn.some((name) => name.startsWith('h3')) }
  }

  serverHello(hello: Uint8Array, version: QuicVersion | undefined): void {
    if (this.reason !== undefined || this.#server !== undefined) return
    this.#server = readServerHello(hello)
    if (version !== undefined) this.#label = version.label
    this.#create(this.#connection.flow.last)
  }

  packet(kind: PacketKind, side: Side, bytes: Uint8Array, place: PacketPlace, time: number): void {
    if (this.reason !== undefined) return
    if (kind === 'application') this.#sizes[side].seen(place.end - place.start)
    if (this.isWaiting) this.#create(time)
    if (this.#openers !== undefined) this.#open(kind, side, bytes, place, time)
    else if (this.#hello === undefined) this.reason = 'handshake_not_recorded'
    else if (this.reason === undefined) this.#hold(kind, side, bytes, place, time)
  }

  /** Looks for late secrets again, and stops waiting for them when it is time. */
  retry(now: number): void {
    if (this.isWaiting) this.#create(now)
  }

  finish(time: number): void {
    this.retry(Number.POSITIVE_INFINITY)
    this.#release()
    this.#streams?.finish(time)
    this.#streams = undefined
  }

  #create(now: number): void {
    const { keys, flow } = this.#connection
    const [hello, server] = [this.#hello, this.#server]
    if (keys === undefined || server === undefined) return
    this.#waitingSince ??= flow.last
    if (hello === undefined || server.cipherSuite === undefined) this.reason = 'handshake_not_recorded'
    else {
      const spec = cipherSpec(cipherSuiteName(server.cipherSuite))
      const secrets = keys.secretsOf(hello.random)
      const mayArrive = keys.isLate === true && now - this.#waitingSince <= MAX_WAIT
      if (spec === undefined) this.reason = 'unsupported_suite'
      else if (
        secrets?.CLIENT_TRAFFIC_SECRET_0 !== undefined &&
        secrets.SERVER_TRAFFIC_SECRET_0 !== undefined
      )
        this.#start(spec, secrets, describeSession(server, hello.sni, keys.originOf?.(hello.random)))
      else if (!mayArrive) this.reason = 'no_key'
    }
    if (this.reason !== undefined) this.#release()
  }

  #start(spec: CipherSpec, secrets: ConnectionSecrets, session: TlsSession): void {
    const opener = (secret: Uint8Array | undefined) =>
      secret === undefined ? undefined : new PacketOpener(new QuicCipher(spec, this.#label, secret))
    this.#openers = {
      early: [opener(secrets.CLIENT_EARLY_TRAFFIC_SECRET), undefined],
      handshake: [
        opener(secrets.CLIENT_HANDSHAKE_TRAFFIC_SECRET),
        opener(secrets.SERVER_HANDSHAKE_TRAFFIC_SECRET),
      ],
      application: [opener(secrets.CLIENT_TRAFFIC_SECRET_0), opener(secrets.SERVER_TRAFFIC_SECRET_0)],
    }
    this.#session = session
    this.#opened()
    if (this.#hello?.isHttp3) {
      const sink = this.#connection.plaintext?.(() => this.#session, 'http3')
      if (sink !== undefined) this.#streams = new ConnectionStreams(sink, this.#connection.budget)
    }
    const held = this.#held
    this.#release()
    for (const { kind, side, bytes, place, time } of held) this.#open(kind, side, bytes, place, time)
  }

  #open(kind: PacketKind, side: Side, bytes: Uint8Array, place: PacketPlace, time: number): void {
    const payload = this.#openers?.[kind]?.[side]?.open(bytes, place)
    if (payload !== undefined) this.#read(kind, side, payload, time)
    else if (kind === 'application' && SegmentSizes.isJoined(place.end - place.start))
      this.#openJoined(side, bytes, place, time)
  }

  /** Several datagrams in one: a tag that verifies shows how long the first is. */
  #openJoined(side: Side, bytes: Uint8Array, { start, number, end }: PacketPlace, time: number): void {
    const opener = this.#openers?.application?.[side]
    for (const size of this.#sizes[side].candidates) {
      const payload = opener?.open(bytes, { start, number, end: Math.min(end, start + size) })
      if (payload === undefined) continue
      this.#sizes[side].prefer(size)
      this.#read('application', side, payload, time)
      for (let at = start + size; at < end; at += size) {
        const place = { start: at, number: at + number - start, end: Math.min(end, at + size) }
        const next = opener?.open(bytes, place)
        if (next !== undefined) this.#read('application', side, next, time)
      }
      return
    }
  }

  #read(kind: PacketKind, side: Side, payload: Uint8Array, time: number): void {
    const listener: FrameListener =
      kind === 'handshake'
        ? { crypto: (offset, from, start, end) => side === 1 && this.#crypto.add(offset, from, start, end) }
        : {
            stream: (part) => this.#streams?.part(side, part, time),
            reset: (id, error) => this.#streams?.reset(side, id, error, time),
          }
    try {
      readFrames(payload, listener)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
    }
    if (kind === 'handshake' && side === 1) this.#describe()
  }

  /** What only the encrypted part of the handshake says. */
  #describe(): void {
    if (this.#session.certificate !== undefined) return
    for (const message of this.#crypto.messages) {
      if (message[0] === ENCRYPTED_EXTENSIONS) {
        const alpn = chosenProtocol(message)
        if (alpn !== undefined) this.#session = { ...this.#session, alpn }
      } else if (message[0] === CERTIFICATE) {
        this.#session = withCertificate(this.#session, withoutExtensions(message), this.#connection.flow.last)
        this.#crypto.clear()
        return
      }
    }
  }

  #hold(kind: PacketKind, side: Side, bytes: Uint8Array, place: PacketPlace, time: number): void {
    const { start, number, end } = place
    const length = end - start
    if (end - number < MIN_LENGTH) return
    if (this.#heldBytes + length > MAX_HELD_BYTES || !this.#connection.budget.take(length + OVERHEAD)) {
      // Early data is skipped; what comes after the handshake must be complete.
      if (this.isWaiting) this.reason = 'no_key'
      if (this.reason !== undefined) this.#release()
      return
    }
    this.#heldBytes += length
    const moved = { start: 0, number: number - start, end: length }
    this.#held.push({ kind, side, bytes: copyOf(bytes, start, end), place: moved, time })
  }

  #release(): void {
    this.#connection.budget.give(this.#heldBytes + this.#held.length * OVERHEAD)
    this.#heldBytes = 0
    this.#held = []
  }
}
