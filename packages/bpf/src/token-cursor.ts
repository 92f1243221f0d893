import { BpfError } from './bpf-error.ts'
import { tokenize } from './lexer.ts'
import type { Token } from './token.ts'

/** Walks over the tokens of an expression. */
export class TokenCursor {
  readonly text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.text = text
    this.#tokens = tokenize(text)
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]
  }

  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** Takes the next token where it is this symbol or this word. */
  take(text: string): boolean {
    if (!this.is(text)) return false
    this.#at++
    return true
  }

  is(text: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.text === text && !token.escaped && (token.kind === 'symbol' || token.kind === 'word')
  }

  demand(text: string): Token {
    if (!this.is(text)) throw this.unexpected([text])
    return this.next()
  }

  /** How many tokens ahead the bracket that opens here is closed again. */
  closing(): number {
    let open = 0
    for (let ahead = 0; ; ahead++) {
      if (this.is('(', ahead)) open++
      else if (this.is(')', ahead) && --open === 0) return ahead
      if (this.peek(ahead).kind === 'end')
        throw this.wrong(this.peek(), 'This parenthesis is never closed.', { expected: [')'] })
    }
  }

  unexpected(expected: readonly string[], suggestion?: string): BpfError {
    const token = this.peek()
    const what =
      token.kind === 'end'
        ? 'The expression ends too early.'
        : `"${this.written(token)}" is not expected here.`
    return this.wrong(token, what, { expected, ...(suggestion !== undefined && { suggestion }) })
  }

  wrong(
    from: Token,
    message: string,
    more: { readonly expected?: readonly string[]; readonly suggestion?: string; readonly to?: Token } = {},
  ): BpfError {
    const { to = from, ...rest } = more
    return new BpfError(message, {
      position: from.start,
      length: Math.max(1, to.end - from.start),
      ...rest,
    })
  }

  written(token: Token): string {
    return this.text.slice(token.start, token.end)
  }
}
