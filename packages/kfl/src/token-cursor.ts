import { KflError } from './kfl-error.ts'
import type { Token } from './token.ts'

interface Hints {
  readonly expected?: readonly string[]
  readonly suggestion?: string
}

/** The place of a parser in its tokens, and how it complains there. */
export class TokenCursor {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get token(): Token {
    return this.#tokens[this.#at]
  }

  /** The token so many places on, or back. */
  peek(by: number): Token | undefined {
    return this.#tokens[this.#at + by]
  }

  skip(count = 1): void {
    this.#at += count
  }

  get lastEnd(): number {
    return this.#tokens[this.#at - 1].end
  }

  is(punctuation: string): boolean {
    return this.token.kind === 'punctuation' && this.token.text === punctuation
  }

  isWord(word: string): boolean {
    return this.token.kind === 'name' && this.token.text.toLowerCase() === word
  }

  error(message: string, token: Token, hints: Hints = {}): KflError {
    return new KflError(message, {
      position: token.start,
      length: Math.max(1, token.end - token.start),
      ...hints,
    })
  }

  /** For a place where a field or a value should stand. */
  missingOperand(): KflError {
    const expected = ['field', 'value']
    const { token } = this
    const before = this.peek(-1)
    if (!before) return this.error(`A filter cannot begin with ${shown(token)}.`, token, { expected })
    if (token.kind === 'end')
      return this.error(`Something is missing after "${before.text}".`, before, { expected })
    const message = `Expected a field or a value after "${before.text}", not ${shown(token)}.`
    return this.error(message, token, { expected })
  }
}

/** A token as a sentence names it. */
export function shown(token: Token): string {
  if (token.kind === 'end') return 'the end of the filter'
  return token.kind === 'string' ? token.text : `"${token.text}"`
}
