import type { PacketOpener } from '@tapdeck/tls'
import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { CLIENT_HELLO, SERVER_HELLO } from '../tls/hello.ts'
import { isRetry } from '../tls/server-hello.ts'
import { CryptoStream } from './crypto-stream.ts'
import { QuicDecryption } from './decryption.ts'
import { errorName } from './error-code.ts'
import { readFrames } from './frames.ts'
import { initialOpener } from './initial-opener.ts'
import { hasLongHeader, type LongHeader, readLongHeader } from './long-header.ts'
import { type QuicVersion, quicVersionName } from './version.ts'

/** A connection has one handshake. */
const KEY = 0
/** Packets that may fail to open before it is given up. */
const PATIENCE = 16

/**
 * A QUIC connection (RFC 9000, RFC 9001). Its first packets are readable without keys, and have the two hellos; the others are
 * decrypted if their secrets are known.
 */
export class QuicConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new CryptoStream()
  readonly #server = new CryptoStream()
  readonly #decryption: QuicDecryption | undefined
  /** Lengths of the connection ids that each side is addressed with: short headers do not have them. */
  readonly #idLengths: [number, number] = [0, 0]
  #clientKeys: PacketOpener | undefined
  #serverKeys: PacketOpener | undefined
  #version: QuicVersion | undefined
  /** The answer waits for late secrets. */
  #postponed: Answer | undefined
  #asked = false
  #done = false
  #failures = 0
  #start: number | undefined
  #fields: { [name: string]: FieldValue } = {}
  #told: Message[] = []

  constructor(connection: Connection) {
    this.#connection = connection
    if (connection.keys !== undefined)
      this.#decryption = new QuicDecryption(connection, () => {
        this.#answerPostponed()
        connection.deliver?.(this.#tell() ?? [])
      })
  }

  /** Datagrams are not asked. */
  frame(): number {
    return 0
  }

  decode(frame: Frame, side: Side): readonly Message[] | undefined {
    if (this.#done && this.#decryption === undefined) return undefined
    const { bytes, end } = frame
    let at = frame.start
    while (at < end && hasLongHeader(bytes, at)) {
      const header = headerAt(bytes, at, end)
      if (header === undefined) break
      this.#packet(bytes, header, side, frame)
      at = header.end
    }
    if (at < end && !hasLongHeader(bytes, at)) this.#shortHeader(frame, at, side)
    if (this.#decryption?.isWaiting !== true) this.#answerPostponed()
    return this.#tell()
  }

  overdue(now: number): readonly Message[] | undefined {
    this.#decryption?.retry(now)
    if (this.#decryption?.isWaiting !== true) this.#answerPostponed()
    return this.#tell()
  }

  finish(side: Side): readonly Message[] | undefined {
    if (side === 0) return undefined
    this.#decryption?.finish(this.#connection.flow.last)
    this.#answerPostponed()
    return this.#tell()
  }

  #packet(bytes: Uint8Array, header: LongHeader, side: Side, frame: Frame): void {
    this.#decrypt(bytes, header, side, frame)
    if (this.#done || this.#postponed !== undefined) return
    if (side === 1) this.#start ??= frame.time
    if (header.code === 0) this.#versions(bytes, header)
    else if (header.type === 'retry') {
      this.#begin()
      this.#fields.retry = true
    } else if (header.type === 'initial') this.#initial(bytes, header, side, frame)
  }

  /** The server speaks none of the client's version (RFC 8999 §6) or wants to see a token: all begins anew. */
  #begin(): void {
    this.#clientKeys = undefined
    this.#serverKeys = undefined
    this.#client.clear()
    this.#server.clear()
  }

  #versions(bytes: Uint8Array, { number, end }: LongHeader): void {
    const versions: string[] = []
    for (let at = number; at + 4 <= end && versions.length < 16; at += 4)
      versions.push(
        quicVersionName(
          ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0,
        ),
      )
    this.#begin()
    this.#fields.versions = versions
  }

  #initial(bytes: Uint8Array, header: LongHeader, side: Side, frame: Frame): void {
    const payload = this.#open(bytes, header, side)
    if (payload === undefined) {
      if (++this.#failures >= PATIENCE) this.#done = true
      return
    }
    const stream = side === 0 ? this.#client : this.#server
    readFrames(payload, {
      crypto: (offset, from, start, end) => stream.add(offset, from, start, end),
      close: (error, reason) => this.#close(error, reason, side, frame),
    })
    if (side === 0) this.#ask(bytes, header)
    else this.#answer(frame)
  }

  /** Keys follow from the id that the client chose for the server in its first packet. */
  #open(bytes: Uint8Array, header: LongHeader, side: Side): Uint8Array | undefined {
    const { version } = header
    if (version === undefined) return undefined
    const payload = (side === 0 ? this.#clientKeys : this.#serverKeys)?.open(bytes, header)
    if (payload !== undefined || side === 1) return payload
    const chosen = bytes.subarray(...header.destination)
    const keys = initialOpener(version, chosen, 'client')
    const opened = keys.open(bytes, header)
    if (opened === undefined) return undefined
    this.#clientKeys = keys
    this.#serverKeys = initialOpener(version, chosen, 'server')
    this.#version = version
    this.#fields.version = version.name
    return opened
  }

  #ask(bytes: Uint8Array, { destination, source }: LongHeader): void {
    if (this.#asked) return
    const [hello] = this.#client.messages
    if (hello === undefined) return
    if (hello[0] !== CLIENT_HELLO) throw new Malformed('no client hello')
    this.#asked = true
    this.#decryption?.clientHello(hello)
    this.#told.push({
      kind: 'request',
      from: 0,
      key: KEY,
      head: this.#connection.copy(hello, 0, hello.length),
      fields: {
        version: this.#fields.version ?? '',
        destination_id: hex(bytes, destination),
        ...(source[0] === source[1] ? {} : { source_id: hex(bytes, source) }),
      },
    })
  }

  #answer(frame: Frame): void {
    const hello = this.#server.messages.find((message) => {
      if (message[0] !== SERVER_HELLO) return false
      if (!isRetry(message, 0, message.length)) return true
      this.#fields.hello_retry = true
      return false
    })
    if (hello === undefined) return
    const head = this.#connection.copy(hello, 0, hello.length)
    this.#decryption?.serverHello(head, this.#version)
    const { endTime, length } = frame
    if (this.#decryption?.isWaiting) this.#postponed = { endTime, length, head }
    else this.#finish({ endTime, length, head })
  }

  #close(error: number, reason: string, side: Side, frame: Frame): void {
    // A client that gives up on a silent server is no answer of it.
    if (error === 0 || this.#done || !this.#asked || (side === 0 && this.#start === undefined)) return
    this.#fields.error = errorName(error)
    this.#fields.error_by = side === 0 ? 'client' : 'server'
    if (reason !== '') this.#fields.reason = reason
    this.#finish({ endTime: frame.endTime, length: frame.length })
  }

  /** RFC 9000 §17.3: the rest of the datagram is one packet. */
  #shortHeader({ bytes, end, length, start, endTime }: Frame, at: number, side: Side): void {
    const number = at + 1 + this.#idLengths[side === 0 ? 1 : 0]
    if (end - start < length || number >= end) return
    this.#decryption?.packet('application', side, bytes, { start: at, number, end }, endTime)
  }

  #decrypt(bytes: Uint8Array, header: LongHeader, side: Side, { endTime }: Frame): void {
    const { type, source } = header
    if (this.#decryption === undefined || type === undefined) return
    this.#idLengths[side] = source[1] - source[0]
    if (type === 'handshake' || type === 'early') this.#decryption.packet(type, side, bytes, header, endTime)
  }

  #answerPostponed(): void {
    const postponed = this.#postponed
    if (postponed === undefined) return
    this.#postponed = undefined
    this.#finish(postponed)
  }

  #tell(): readonly Message[] | undefined {
    if (this.#told.length === 0) return undefined
    const told = this.#told
    this.#told = []
    return told
  }

  #finish({ endTime, length, head }: Answer): void {
    this.#done = true
    if (this.#decryption !== undefined && head !== undefined) {
      const { reason } = this.#decryption
      if (reason === undefined) this.#fields.decrypted = true
      else this.#fields.not_decrypted = reason
    }
    this.#told.push({
      kind: 'response',
      from: 1,
      key: KEY,
      ...(head === undefined ? {} : { head }),
      fields: this.#fields,
      ...(this.#start === undefined ? {} : { start: this.#start }),
      end: endTime,
      size: length,
    })
    this.#begin()
  }
}

/** What ended the handshake: a hello of the server, or an error. */
interface Answer {
  readonly endTime: number
  readonly length: number
  readonly head?: Uint8Array
}

/** Undefined where the rest of a datagram is no further packet, such as padding. */
function headerAt(bytes: Uint8Array, start: number, end: number): LongHeader | undefined {
  try {
    return readLongHeader(bytes, start, end)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

function hex(bytes: Uint8Array, [start, end]: readonly [number, number]): string {
  return Buffer.from(bytes.subarray(start, end)).toString('hex')
}
