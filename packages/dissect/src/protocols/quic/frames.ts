import { Malformed } from '@tapdeck/wire'
import { latin1 } from '../../text/text.ts'
import { VarintReader } from './varint.ts'

/** RFC 9000 §19, RFC 9221 §4. */
const FRAME = {
  padding: 0x00,
  ping: 0x01,
  ack: 0x02,
  ackWithCounts: 0x03,
  resetStream: 0x04,
  crypto: 0x06,
  newToken: 0x07,
  stream: 0x08,
  lastStream: 0x0f,
  newConnectionId: 0x18,
  pathChallenge: 0x1a,
  pathResponse: 0x1b,
  close: 0x1c,
  closeByApplication: 0x1d,
  handshakeDone: 0x1e,
  datagram: 0x30,
  datagramWithLength: 0x31,
} as const
/** How many numbers the frames without bytes have, by type. */
const NUMBERS: ReadonlyMap<number, number> = new Map([
  [0x05, 2],
  [0x10, 1],
  [0x11, 2],
  [0x12, 1],
  [0x13, 1],
  [0x14, 1],
  [0x15, 2],
  [0x16, 1],
  [0x17, 1],
  [0x19, 1],
])
const [OFFSET_BIT, LENGTH_BIT, LAST_BIT] = [4, 2, 1]
const PATH_DATA = 8
const RESET_TOKEN = 16
const MAX_REASON_LENGTH = 256

/** A part of a stream: `bytes[start, end)` at this offset of it. */
export interface StreamPart {
  readonly id: number
  readonly offset: number
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly isLast: boolean
}

export interface FrameListener {
  crypto?(offset: number, bytes: Uint8Array, start: number, end: number): void
  close?(error: number, reason: string): void
  stream?(part: StreamPart): void
  /** The sender gives up a stream. */
  reset?(id: number, error: number): void
}

/** The frames of a packet: RFC 9000 §12.4. Throws `Malformed` for what is no frame. */
export function readFrames(bytes: Uint8Array, listener: FrameListener): void {
  const reader = new VarintReader(bytes, 0, bytes.length)
  while (reader.left > 0) {
    const type = reader.next()
    if (type === FRAME.padding || type === FRAME.ping || type === FRAME.handshakeDone) continue
    const numbers = NUMBERS.get(type)
    if (numbers !== undefined) for (let i = 0; i < numbers; i++) reader.next()
    else if (type === FRAME.ack || type === FRAME.ackWithCounts) skipAcknowledgement(reader, type)
    else if (type >= FRAME.stream && type <= FRAME.lastStream) readStream(reader, bytes, type, listener)
    else if (type === FRAME.crypto) {
      const offset = reader.next()
      const length = reader.next()
      const start = reader.skip(length)
      listener.crypto?.(offset, bytes, start, start + length)
    } else if (type === FRAME.resetStream) {
      const [id, error] = [reader.next(), reader.next()]
      reader.next()
      listener.reset?.(id, error)
    } else if (type === FRAME.close || type === FRAME.closeByApplication) {
      readClose(reader, bytes, type, listener)
      return
    } else skipOther(reader, bytes, type)
  }
}

function readStream(reader: VarintReader, bytes: Uint8Array, type: number, listener: FrameListener): void {
  const id = reader.next()
  const offset = (type & OFFSET_BIT) === 0 ? 0 : reader.next()
  const length = (type & LENGTH_BIT) === 0 ? reader.left : reader.next()
  const start = reader.skip(length)
  listener.stream?.({ id, offset, bytes, start, end: start + length, isLast: (type & LAST_BIT) !== 0 })
}

function readClose(reader: VarintReader, bytes: Uint8Array, type: number, listener: FrameListener): void {
  const error = reader.next()
  if (type === FRAME.close) reader.next()
  const length = reader.next()
  const start = reader.skip(length)
  if (type === FRAME.close)
    listener.close?.(error, latin1(bytes, start, start + Math.min(length, MAX_REASON_LENGTH)))
}

function skipOther(reader: VarintReader, bytes: Uint8Array, type: number): void {
  if (type === FRAME.newToken || type === FRAME.datagramWithLength) reader.skip(reader.next())
  else if (type === FRAME.newConnectionId) {
    reader.next()
    reader.next()
    reader.skip(bytes[reader.skip(1)] + RESET_TOKEN)
  } else if (type === FRAME.pathChallenge || type === FRAME.pathResponse) reader.skip(PATH_DATA)
  else if (type === FRAME.datagram) reader.skip(reader.left)
  else throw new Malformed('no QUIC frame')
}

function skipAcknowledgement(reader: VarintReader, type: number): void {
  reader.next()
  reader.next()
  const ranges = reader.next()
  reader.next()
  for (let i = 0; i < ranges; i++) {
    reader.next()
    reader.next()
  }
  if (type === FRAME.ackWithCounts) for (let i = 0; i < 3; i++) reader.next()
}
