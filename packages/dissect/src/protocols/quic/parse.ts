import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { CLIENT_HELLO, SERVER_HELLO } from '../tls/hello.ts'
import { isRetry } from '../tls/server-hello.ts'
import { CryptoStream } from './crypto-stream.ts'
import { errorName } from './error-code.ts'
import { readFrames } from './frames.ts'
import { InitialKeys } from './initial-keys.ts'
import { hasLongHeader, type LongHeader, readLongHeader } from './long-header.ts'
import { quicVersionName } from './version.ts'

/** A connection has one handshake. */
const KEY = 0
/** Packets that may fail to open before it is given up. */
const PATIENCE = 16

/** The first packets of a QUIC connection (RFC 9000, RFC 9001), which are readable without keys: the two hellos. */
export class QuicConversation implements Conversation {
  readonly #connection: Connection
  readonly #client = new CryptoStream()
  readonly #server = new CryptoStream()
  #clientKeys: InitialKeys | undefined
  #serverKeys: InitialKeys | undefined
  #asked = false
  #done = false
  #failures = 0
  #start: number | undefined
  #fields: { [name: string]: FieldValue } = {}
  #told: Message[] = []

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Datagrams are not asked. */
  frame(): number {
    return 0
  }

  decode(frame: Frame, side: Side): readonly Message[] | undefined {
    if (this.#done) return undefined
    const { bytes, end } = frame
    for (let at = frame.start; at < end && !this.#done && hasLongHeader(bytes, at); ) {
      const header = headerAt(bytes, at, end)
      if (header === undefined) break
      this.#packet(bytes, header, side, frame)
      at = header.end
    }
    if (this.#told.length === 0) return undefined
    const told = this.#told
    this.#told = []
    return told
  }

  #packet(bytes: Uint8Array, header: LongHeader, side: Side, frame: Frame): void {
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
    const keys = new InitialKeys(version, chosen, 'client')
    const opened = keys.open(bytes, header)
    if (opened === undefined) return undefined
    this.#clientKeys = keys
    this.#serverKeys = new InitialKeys(version, chosen, 'server')
    this.#fields.version = version.name
    return opened
  }

  #ask(bytes: Uint8Array, { destination, source }: LongHeader): void {
    if (this.#asked) return
    const [hello] = this.#client.messages
    if (hello === undefined) return
    if (hello[0] !== CLIENT_HELLO) throw new Malformed('no client hello')
    this.#asked = true
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
    if (hello !== undefined) this.#finish(frame, hello)
  }

  #close(error: number, reason: string, side: Side, frame: Frame): void {
    // A client that gives up on a silent server is no answer of it.
    if (error === 0 || this.#done || !this.#asked || (side === 0 && this.#start === undefined)) return
    this.#fields.error = errorName(error)
    this.#fields.error_by = side === 0 ? 'client' : 'server'
    if (reason !== '') this.#fields.reason = reason
    this.#finish(frame, undefined)
  }

  #finish({ endTime, length }: Frame, hello: Uint8Array | undefined): void {
    this.#done = true
    this.#told.push({
      kind: 'response',
      from: 1,
      key: KEY,
      ...(hello === undefined ? {} : { head: this.#connection.copy(hello, 0, hello.length) }),
      fields: this.#fields,
      ...(this.#start === undefined ? {} : { start: this.#start }),
      end: endTime,
      size: length,
    })
    this.#begin()
  }
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
