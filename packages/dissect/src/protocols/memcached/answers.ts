import type { Message } from '../../contract/message.ts'

/** A command whose answer has not come. */
export interface Asked {
  /** Pairs it with its answer. */
  readonly key: number
  /** Its verb, and its opaque (text) or its operation and opaque (binary). */
  readonly verb: string
  readonly opcode: number
  readonly opaque: string
  /** It is answered only where there is something to say. */
  readonly quiet: boolean
  readonly time: number
}

/** What a quiet meta command may still say. */
const NEWS: Readonly<Record<string, readonly string[] | undefined>> = {
  mg: ['VA', 'HD'],
  ms: ['NS', 'EX', 'NF'],
  md: ['NF', 'EX'],
  ma: ['VA', 'NF', 'NS', 'EX'],
}

/** Whether a line of text may be the answer to a quiet command: where it cannot, the command went unanswered. */
export function mayAnswer(asked: Asked, code: string, opaque: string): boolean {
  if (!asked.quiet) return true
  if (code.endsWith('ERROR')) return true
  if (asked.opaque !== '' || opaque !== '') return asked.opaque === opaque
  return NEWS[asked.verb]?.includes(code) === true
}

/** What stands for the answer that a quiet command did not get: it is known only from what came after it. */
export function silence({ key, time }: Asked, keyed = false): Message {
  const message: Message = { kind: 'response', size: 0, start: time, end: time, fields: { silent: true } }
  return keyed ? { ...message, key } : message
}
