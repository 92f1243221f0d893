import { latin1, utf8 } from '../../text/text.ts'

/** Deeper, and after this many elements, values are no longer shown. */
const MAX_DEPTH = 16
const MAX_ELEMENTS = 2000
const CR = 0x0d
const LF = 0x0a

export type Shown = string | number | boolean | null | readonly Shown[] | { readonly [key: string]: Shown }

const TYPES: Readonly<Record<string, string | undefined>> = {
  '+': 'Simple String',
  '-': 'Error',
  ':': 'Integer',
  $: 'Bulk String',
  '*': 'Array',
  _: 'Null',
  '#': 'Boolean',
  ',': 'Double',
  '(': 'Big Number',
  '!': 'Bulk Error',
  '=': 'Verbatim String',
  '%': 'Map',
  '~': 'Set',
  '>': 'Push',
}

/** A reply as people read it. */
export interface Value {
  readonly type: string
  readonly shown: Shown
  /** Bytes of a string, unless `shown` says all of them. */
  readonly content?: Uint8Array
  readonly error?: string
}

/** Reads values out of bytes that may end anywhere: what is missing is left out. */
export class ValueReader {
  readonly #bytes: Uint8Array
  #at = 0
  #elements = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length || this.#elements > MAX_ELEMENTS
  }

  /** Attributes before a value say how it is to be taken; they are not shown. */
  read(depth = 0): Value {
    const bytes = this.#bytes
    while (bytes[this.#at] === 0x7c && !this.done) {
      const count = 2 * Number(this.#line())
      for (let i = 0; i < count && !this.done; i++) this.read(depth + 1)
    }
    this.#elements++
    const mark = this.done ? '' : String.fromCharCode(bytes[this.#at])
    const type = TYPES[mark] ?? 'Unknown'
    switch (mark) {
      case '$':
      case '!':
      case '=':
        return this.#string(mark, type)
      case '*':
      case '~':
      case '>':
        return this.#list(type, depth)
      case '%':
        return this.#map(type, depth)
      case ':':
      case ',':
        return { type, shown: toNumber(this.#line()) }
      case '#':
        return { type, shown: this.#line() === 't' }
      case '-': {
        const error = this.#line()
        return { type, shown: error, error }
      }
      case '_':
        this.#line()
        return { type, shown: null }
      default:
        return { type, shown: this.#line() }
    }
  }

  #string(mark: string, type: string): Value {
    const length = Number(this.#line())
    if (!(length >= 0)) return { type: 'Null', shown: null }
    const start = this.#at
    const end = Math.min(this.#bytes.length, start + length)
    this.#at = start + length + 2
    // A verbatim string begins with its format: `txt:`.
    const content = this.#bytes.subarray(Math.min(end, mark === '=' ? start + 4 : start), end)
    const text = plainText(content)
    const shown = text ?? escaped(content)
    return {
      type,
      shown,
      ...(mark === '!' && { error: shown }),
      ...((text === undefined || text === '') && { content }),
    }
  }

  #list(type: string, depth: number): Value {
    const count = Number(this.#line())
    if (!(count >= 0)) return { type: 'Null', shown: null }
    const list: Shown[] = []
    if (depth >= MAX_DEPTH) this.#at = this.#bytes.length
    for (let i = 0; i < count && !this.done; i++) list.push(this.read(depth + 1).shown)
    return { type, shown: list }
  }

  #map(type: string, depth: number): Value {
    const count = Number(this.#line())
    const map: Record<string, Shown> = Object.create(null)
    if (depth >= MAX_DEPTH) this.#at = this.#bytes.length
    for (let i = 0; i < count && !this.done; i++) {
      const { shown } = this.read(depth + 1)
      map[typeof shown === 'string' ? shown : JSON.stringify(shown)] = this.read(depth + 1).shown
    }
    return { type, shown: map }
  }

  /** The rest of the line after its type. */
  #line(): string {
    const bytes = this.#bytes
    const start = this.#at + 1
    let end = start
    while (end < bytes.length && bytes[end] !== LF) end++
    this.#at = end + 1
    return textOf(bytes.subarray(start, end > start && bytes[end - 1] === CR ? end - 1 : end))
  }
}

/** Beyond 2^53 digits would be lost. */
function toNumber(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
    ? number
    : text
}

/** Bytes that are no text are written the way `redis-cli` does it. */
export function textOf(bytes: Uint8Array): string {
  return plainText(bytes) ?? escaped(bytes)
}

function plainText(bytes: Uint8Array): string | undefined {
  const text = utf8(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
  return text === undefined || /[\x00-\x08\x0e-\x1f\x7f]/.test(text) ? undefined : text
}

function escaped(bytes: Uint8Array): string {
  return latin1(bytes).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    /[\x00-\x1f\x7f-\xff]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
