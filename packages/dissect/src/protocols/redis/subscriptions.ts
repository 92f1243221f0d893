import { isWord, locate, type Span } from './arguments.ts'

/** Subscribing commands of one connection that may wait for their confirmations. */
const MAX_WAITING = 64
const KINDS = ['subscribe', 'unsubscribe', 'psubscribe', 'punsubscribe', 'ssubscribe', 'sunsubscribe']
const span: Span = { start: 0, end: 0 }

interface Asked {
  readonly kind: string
  /** Which command of the connection it was. */
  readonly ordinal: number
  /** Confirmations to come, one for each channel named; 0: as many as there are channels. */
  readonly wanted: number
  confirmed: number
}

/** What a value that comes while subscribed is: a confirmation (the last to its command or not), or something else. */
export type Confirmation = 'part' | 'last' | 'unasked' | 'none'

/** Follows how many confirmations each SUBSCRIBE and UNSUBSCRIBE is owed: one a channel. */
export class Subscriptions {
  /** What was confirmed last came before the rest of what an earlier command was owed: that will not come. */
  overtook = false
  readonly #asked: Asked[] = []
  #channels = 0
  #patterns = 0
  #shards = 0

  /** Pushes may come without being marked as such. */
  get active(): boolean {
    return this.#asked.length > 0 || this.#channels + this.#patterns + this.#shards > 0
  }

  /** A command was confirmed in part. */
  get midway(): boolean {
    return this.#asked.length > 0 && this.#asked[0].confirmed > 0
  }

  /** The command `bytes[from, to)`, whose verb begins at `verb`. */
  ask(bytes: Uint8Array, from: number, to: number, verb: Span, ordinal: number): void {
    const kind = kindOf(bytes, verb)
    if (kind === undefined || this.#asked.length >= MAX_WAITING) return
    let wanted = 0
    while (wanted < 1024 && locate(bytes, from, to, wanted + 1, span)) wanted++
    this.#asked.push({ kind, ordinal, wanted, confirmed: 0 })
  }

  /** An error is all the answer that the command of that ordinal gets. */
  refuse(ordinal: number): void {
    if (this.#asked.length > 0 && this.#asked[0].ordinal === ordinal) this.#asked.shift()
  }

  confirm(bytes: Uint8Array, from: number, to: number): Confirmation {
    this.overtook = false
    if (!locate(bytes, from, to, 0, span)) return 'none'
    const kind = kindOf(bytes, span)
    if (kind === undefined) return 'none'
    this.#count(kind, lastInteger(bytes, from, to))
    const index = this.#asked.findIndex((asked) => asked.kind === kind)
    if (index < 0) return 'unasked'
    this.overtook = index > 0 && this.midway
    this.#asked.splice(0, index)
    const asked = this.#asked[0]
    asked.confirmed++
    if (asked.wanted === 0 ? this.#remaining(kind) > 0 : asked.confirmed < asked.wanted) return 'part'
    this.#asked.shift()
    return 'last'
  }

  /** Another reply came: whatever was confirmed in part is over. */
  abandon(): void {
    this.#asked.shift()
  }

  /** Bytes were lost, and with them what was asked. */
  forget(): void {
    this.#asked.length = 0
  }

  reset(): void {
    this.forget()
    this.#channels = 0
    this.#patterns = 0
    this.#shards = 0
  }

  /** Channels and patterns are counted together, shard channels alone. */
  #count(kind: string, total: number): void {
    if (kind.startsWith('s') && kind !== 'subscribe') this.#shards = total
    else if (kind.startsWith('p')) this.#patterns = Math.max(0, total - this.#channels)
    else this.#channels = Math.max(0, total - this.#patterns)
  }

  #remaining(kind: string): number {
    return kind === 'sunsubscribe' ? this.#shards : kind === 'punsubscribe' ? this.#patterns : this.#channels
  }
}

/** Whether a command subscribes, or the opposite. */
export function isSubscription(head: Uint8Array, verb: Span): boolean {
  return kindOf(head, verb) !== undefined
}

function kindOf(bytes: Uint8Array, { start, end }: Span): string | undefined {
  if (end - start < 9 || end - start > 12) return undefined
  for (const kind of KINDS) if (isWord(bytes, start, end, kind)) return kind
  return undefined
}

function lastInteger(bytes: Uint8Array, from: number, to: number): number {
  let number = 0
  for (let at = to - 3, scale = 1; at > from && scale < 1e9; at--, scale *= 10) {
    const digit = bytes[at] - 0x30
    if (digit < 0 || digit > 9) break
    number += digit * scale
  }
  return number
}
