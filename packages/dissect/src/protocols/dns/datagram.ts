import { type Address, type Flow, Malformed } from '@tapdeck/wire'
import type { Connection, DatagramReader, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { DatagramMessage } from '../../message/datagram-message.ts'
import { HEADER } from './frame.ts'

/** A datagram is one message, and says all by itself. */
export function datagrams(flow: Flow): DatagramReader {
  return isMulticast(flow) ? readEvent : readHalf
}

function readHalf(frame: Frame, arena: Connection['arena']): Message {
  return read(frame, kindAt(frame.bytes, frame.start), arena)
}

function readEvent(frame: Frame, arena: Connection['arena']): Message {
  return read(frame, 'event', arena)
}

function read(
  { bytes, start, end, length, time }: Frame,
  kind: Message['kind'],
  arena: Connection['arena'],
): Message {
  if (end - start < HEADER) throw new Malformed('message shorter than a header')
  const cut = end - start < length ? true : undefined
  const at = arena.place(bytes, start, end)
  const message = new DatagramMessage(kind, keyAt(bytes, start), time, arena.placed, at, at + end - start)
  message.truncated = cut
  return message
}

/** Of the message that begins there. */
export function kindAt(bytes: Uint8Array, start: number): 'request' | 'response' {
  return bytes[start + 2] >= 0x80 ? 'response' : 'request'
}

/** A query and its answer share an id. */
export function keyAt(bytes: Uint8Array, start: number): number {
  return (bytes[start] << 8) | bytes[start + 1]
}

/** A multicast query is not answered in the same flow: RFC 6762, RFC 4795. */
export function isMulticast({ ends }: Flow): boolean {
  const [client, server] = ends
  return speaksToAll(client) || speaksToAll(server)
}

function speaksToAll({ ip, port }: Address): boolean {
  if (port === 5353 || port === 5355) return true
  const initial = ip.charCodeAt(0)
  return (initial === 0x32 || initial === 0x66) && /^(22[4-9]|23\d)\.|^ff/.test(ip)
}
