import { draftMessage, type Message } from '../../contract/message.ts'

/** Joins two parts of a message. `first` is the earlier one. */
export function join(first: Message, next: Message, ceiling: number): Message {
  const joined = draftMessage(next.kind, first.head ?? next.head, next.body ?? first.body)
  joined.marks = first.head === undefined ? next.marks : first.marks
  joined.from = next.from ?? first.from
  joined.key = next.key ?? first.key
  joined.protocol = next.protocol ?? first.protocol
  joined.bodySize = next.bodySize ?? first.bodySize
  joined.truncated = first.truncated || next.truncated
  joined.start = first.start ?? next.start
  joined.end = next.end ?? first.end
  if (first.size !== undefined || next.size !== undefined) joined.size = (first.size ?? 0) + (next.size ?? 0)
  if (first.fields === undefined || next.fields === undefined) joined.fields = next.fields ?? first.fields
  else joined.fields = { ...first.fields, ...next.fields }
  if (first.body !== undefined && next.body !== undefined) {
    const size = sizeOf(first) + sizeOf(next)
    joined.body = concat(first.body, first.truncated ? first.body.subarray(0, 0) : next.body, ceiling)
    if (joined.body.length < size) {
      joined.bodySize = size
      joined.truncated = true
    }
  }
  if (next.more) joined.more = true
  return joined
}

function sizeOf(message: Message): number {
  return message.bodySize ?? message.body?.length ?? 0
}

function concat(first: Uint8Array, next: Uint8Array, ceiling: number): Uint8Array {
  const joined = new Uint8Array(Math.max(first.length, Math.min(first.length + next.length, ceiling)))
  joined.set(first)
  joined.set(next.subarray(0, joined.length - first.length), first.length)
  return joined
}
