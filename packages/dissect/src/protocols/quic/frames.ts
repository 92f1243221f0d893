import { Malformed } from '@tapdeck/wire'
import { latin1 } from '../../text/text.ts'
import { VarintReader } from './varint.ts'

const PADDING = 0x00
const PING = 0x01
const ACK = 0x02
const ACK_WITH_COUNTS = 0x03
const CRYPTO = 0x06
const CLOSE = 0x1c
const MAX_REASON_LENGTH = 256

/** What the frames of an Initial packet may hold: RFC 9000 §12.4. */
export interface FrameListener {
  crypto(offset: number, bytes: Uint8Array, start: number, end: number): void
  close(error: number, reason: string): void
}

export function readFrames(bytes: Uint8Array, listener: FrameListener): void {
  const reader = new VarintReader(bytes, 0, bytes.length)
  while (reader.left > 0) {
    const type = reader.next()
    if (type === PADDING || type === PING) continue
    if (type === ACK || type === ACK_WITH_COUNTS) skipAcknowledgement(reader, type)
    else if (type === CRYPTO) {
      const offset = reader.next()
      const length = reader.next()
      const start = reader.skip(length)
      listener.crypto(offset, bytes, start, start + length)
    } else if (type === CLOSE) {
      const error = reader.next()
      reader.next()
      const length = reader.next()
      const start = reader.skip(length)
      listener.close(error, latin1(bytes, start, start + Math.min(length, MAX_REASON_LENGTH)))
      return
    } else throw new Malformed('no frame of an Initial packet')
  }
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
  if (type === ACK_WITH_COUNTS) for (let i = 0; i < 3; i++) reader.next()
}
