import { messageLimits, type WorkerMessage, workerMessages } from '@tapdeck/api'
import { isOwnId } from './worker-answer.ts'

/** An answer that is larger than the answer to its request may be. */
export interface TooLarge {
  readonly kind: 'too_large'
  readonly id: number
}

export interface MessageContext {
  readonly node: string
  /** Bytes that the answer to the request with this id may have. */
  readonly answerLimit: (id: number) => number
}

/** What a large message has to begin with. */
const HEADING = /^\{"kind":"([a-z]{1,16})"(?:,"id":(\d{1,10}))?,/
const MAX_HEADING = 64

/** A text message of a worker on this node; undefined if it has none of the known shapes, or is too large for its kind. */
export function parseWorkerMessage(
  data: Buffer,
  { node, answerLimit }: MessageContext,
): WorkerMessage | TooLarge | undefined {
  const isLarge = data.length > messageLimits.unnamed
  const [, kind, id] = (isLarge && HEADING.exec(data.toString('latin1', 0, MAX_HEADING))) || []
  if (kind === 'answer' && id !== undefined) {
    if (data.length > answerLimit(Number(id))) return { kind: 'too_large', id: Number(id) }
  } else if (isLarge && data.length > limitOf(kind)) return undefined
  const message = parsed(data.toString())
  if (message === undefined) return undefined
  // A second `kind` or `id` after the first one counts in JSON.
  if (kind !== undefined && message.kind !== kind) return undefined
  if (id !== undefined && (!('id' in message) || message.id !== Number(id))) return undefined
  return message.kind === 'calls' && message.calls.some((call) => !isOwnId(node, call.id))
    ? undefined
    : message
}

function limitOf(kind: string | undefined): number {
  return kind === 'hello' || kind === 'report' || kind === 'failure' || kind === 'calls'
    ? messageLimits[kind]
    : 0
}

function parsed(text: string): WorkerMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const kind = (value as { kind?: unknown } | null)?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(workerMessages, kind)) return undefined
  return workerMessages[kind as keyof typeof workerMessages].safeParse(value).data
}
