import { type WorkerMessage, workerMessages } from '@tapdeck/api'
import { isOwnId } from './worker-answer.ts'

/** A text message of a worker on this node; undefined where it has none of the known shapes. */
export function parseWorkerMessage(text: string, node: string): WorkerMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const kind = (value as { kind?: unknown } | null)?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(workerMessages, kind)) return undefined
  const parsed = workerMessages[kind as keyof typeof workerMessages].safeParse(value)
  if (!parsed.success) return undefined
  const message = parsed.data
  return message.kind === 'calls' && message.calls.some(({ id }) => !isOwnId(node, id)) ? undefined : message
}
