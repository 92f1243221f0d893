import type { Message } from '../message.ts'

/** Two parts of one half, the earlier first, as one message. */
export function join(first: Message, next: Message, ceiling: number): Message {
  const { more: _, ...rest } = { ...first, ...next }
  const joined: { -readonly [K in keyof Message]: Message[K] } = rest
  if (first.head !== undefined) joined.head = first.head
  if (first.start !== undefined) joined.start = first.start
  if (first.size !== undefined || next.size !== undefined) joined.size = (first.size ?? 0) + (next.size ?? 0)
  if (first.fields !== undefined) joined.fields = { ...first.fields, ...next.fields }
  if (first.truncated) joined.truncated = true
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
