import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy } from '../../text/text.ts'
import type { Details } from './details.ts'
import { sizeInAnswer } from './text-line.ts'

const MAX_KEYS = 100
const STORING = new Set(['set', 'add', 'replace', 'append', 'prepend', 'cas', 'ms'])
const READING = new Set(['get', 'gets', 'gat', 'gats', 'mg'])

/** A value that was read. */
interface Item {
  readonly line: string
  readonly value: Uint8Array
  readonly size: number
}

export function textDetails(request: Message | undefined, response: Message | undefined): Details {
  const words = request?.head === undefined ? [] : utf8Lossy(request.head).trim().split(/ +/)
  const [verb = ''] = words
  const keys = keysOf(words)
  const items = response === undefined ? [] : itemsOf(wholeOf(response))
  const stored = STORING.has(verb) ? request?.body : undefined
  const answer = answerOf(response, items)
  return {
    ...(stored === undefined ? (words.length > 0 ? { stored: words.join(' ') } : {}) : { stored }),
    ...(answer === undefined ? {} : { answer }),
    own: {
      ...(verb === '' ? {} : { command: verb.startsWith('ts=') ? 'watch' : verb }),
      ...(keys.length === 0 ? {} : { key: keys[0] }),
      ...(READING.has(verb) ? { keys: keys.slice(0, MAX_KEYS) } : {}),
      ...(words.length > 1 ? { args: words.slice(1, MAX_KEYS) } : {}),
      ...(READING.has(verb) && response !== undefined ? { hits: hitsOf(response, items) } : {}),
      ...sizeOf(request, stored, items),
      ...(words.at(-1) === 'noreply' || isQuietMeta(words) ? { quiet: true } : {}),
      ...opaqueOf(words),
    },
  }
}

function keysOf(words: readonly string[]): readonly string[] {
  const [verb = ''] = words
  if (verb === 'get' || verb === 'gets') return words.slice(1)
  if (verb === 'gat' || verb === 'gats') return words.slice(2)
  return STORING.has(verb) || /^(delete|incr|decr|touch|m[gdae])$/.test(verb) ? words.slice(1, 2) : []
}

function flagsOf(words: readonly string[]): readonly string[] {
  const [verb = ''] = words
  return /^m[gdas]$/.test(verb) ? words.slice(verb === 'ms' ? 3 : 2) : []
}

function isQuietMeta(words: readonly string[]): boolean {
  return flagsOf(words).includes('q')
}

function opaqueOf(words: readonly string[]): { readonly opaque?: string } {
  const flag = flagsOf(words).find((word) => word.startsWith('O'))
  return flag === undefined ? {} : { opaque: flag.slice(1) }
}

/** The number of values, also of those that are no longer kept; a meta get without a value says HD. */
function hitsOf(response: Message, items: readonly Item[]): number {
  const { values } = response.fields ?? {}
  if (typeof values === 'number') return values
  if (items.length > 0) return items.length
  return response.head !== undefined && latin1(response.head).startsWith('HD') ? 1 : 0
}

function sizeOf(
  request: Message | undefined,
  stored: Uint8Array | undefined,
  items: readonly Item[],
): { readonly value_size?: number } {
  if (stored !== undefined) return { value_size: request?.bodySize ?? stored.length }
  return items.length === 0 ? {} : { value_size: items.reduce((sum, { size }) => sum + size, 0) }
}

function answerOf(response: Message | undefined, items: readonly Item[]): Uint8Array | string | undefined {
  if (response?.head === undefined) return undefined
  if (items.length === 1) return items[0].value
  return utf8Lossy(wholeOf(response)).trimEnd()
}

function wholeOf({ head, body }: Message): Uint8Array {
  const parts = [head, body].filter((part) => part !== undefined)
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function itemsOf(whole: Uint8Array): Item[] {
  const items: Item[] = []
  for (let at = 0; at < whole.length; ) {
    const lf = whole.indexOf(0x0a, at)
    if (lf < 0) break
    const size = sizeInAnswer(whole, at, lf)
    if (size < 0) break
    const value = whole.subarray(lf + 1, lf + 1 + size)
    items.push({ line: latin1(whole, at, lf).trimEnd(), value, size })
    at = lf + 1 + size + 2
  }
  return items
}
