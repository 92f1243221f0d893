import { type Address, type Flow, Malformed } from '@tapdeck/wire'
import type { Connection, DatagramReader, Frame } from '../../dissector.ts'
import { draftMessage, type Message, type MessageDraft } from '../../message.ts'
import { HEADER } from './frame.ts'

/** A datagram is one message, and says all by itself. */
export function datagrams(flow: Flow): DatagramReader {
  return isMulticast(flow) ? readEvent : readHalf
}

function readHalf({ bytes, start, end, length }: Frame, copy: Connection['copy']): Message {
  return messageAt(bytes, start, end, end - start < length, copy)
}

function readEvent({ bytes, start, end, length }: Frame, copy: Connection['copy']): Message {
  const message = messageAt(bytes, start, end, end - start < length, copy)
  message.kind = 'event'
  return message
}

/** `bytes[start, end)` as a half of a call. A query and its answer share an id. */
export function messageAt(
  bytes: Uint8Array,
  start: number,
  end: number,
  cut: boolean,
  copy: Connection['copy'],
): MessageDraft {
  if (end - start < HEADER) throw new Malformed('message shorter than a header')
  const message = draftMessage(bytes[start + 2] >= 0x80 ? 'response' : 'request', copy(bytes, start, end))
  message.key = (bytes[start] << 8) | bytes[start + 1]
  if (cut) message.truncated = true
  return message
}

/** Nobody answers a multicast query in the same flow: RFC 6762, RFC 4795. */
export function isMulticast({ ends }: Flow): boolean {
  const [client, server] = ends
  return speaksToAll(client) || speaksToAll(server)
}

function speaksToAll({ ip, port }: Address): boolean {
  if (port === 5353 || port === 5355) return true
  const initial = ip.charCodeAt(0)
  return (initial === 0x32 || initial === 0x66) && /^(22[4-9]|23\d)\.|^ff/.test(ip)
}
