import type { Message } from '../../contract/message.ts'

/** Head and body are one value, cut in two. */
export function wholeOf({ head, body }: Message): Uint8Array {
  if (head === undefined) return body ?? new Uint8Array(0)
  if (body === undefined) return head
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}
