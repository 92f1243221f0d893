/** What one operation of a GraphQL document is called, and what it does. */
export interface Operation {
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly name?: string
}

/** Documents are read no further than this. */
const MAX_LENGTH = 64 * 1024
const MAX_OPERATIONS = 64
/** White space, commas and comments between tokens: GraphQL specification §2.1. */
const IGNORED = /(?:[\s,\ufeff]|#[^\n\r]*)+/y
const NAME = /[A-Za-z_]\w*/y
/** `query Name($a: Int) @x {`, an anonymous one, or the short form that begins with its braces. */
const BEGINNING =
  /^(?:[\s,\ufeff]|#[^\n\r]*(?:[\n\r]|$))*(?:\{\s*[\w.#]|(?:query|mutation|subscription)(?:\s+\w+)?\s*[({@]|fragment\s+\w+\s+on\s+\w)/

/** Whether a text begins as a document does. */
export function startsDocument(text: string): boolean {
  return BEGINNING.test(text)
}

/** The operations of a document in order; fragments and the insides of operations are passed over. */
export function readOperations(document: string): Operation[] {
  const text = document.length > MAX_LENGTH ? document.slice(0, MAX_LENGTH) : document
  const operations: Operation[] = []
  for (let at = skip(text, 0); at < text.length && operations.length < MAX_OPERATIONS; ) {
    const word = match(NAME, text, at)
    if (word === '' && text[at] !== '{') break
    let from = skip(text, at + word.length)
    if (word === '' || word === 'query' || word === 'mutation' || word === 'subscription') {
      const name = word === '' ? '' : match(NAME, text, from)
      operations.push({ type: word === '' ? 'query' : word, ...(name === '' ? {} : { name }) })
      from = word === '' ? at : from + name.length
    } else if (word !== 'fragment') break
    at = skip(text, afterBraces(text, from))
  }
  return operations
}

/** The position after the next selection set. Arguments and strings before it may have braces, too. */
function afterBraces(text: string, start: number): number {
  let depth = 0
  let parentheses = 0
  for (let at = start; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case '#':
        while (at + 1 < text.length && text[at + 1] !== '\n' && text[at + 1] !== '\r') at++
        break
      case '(':
        parentheses++
        break
      case ')':
        parentheses--
        break
      case '{':
        if (parentheses <= 0) depth++
        break
      case '}':
        if (parentheses <= 0 && --depth <= 0) return at + 1
    }
  }
  return text.length
}

/** The closing quote, also of a block string. */
function endOfString(text: string, start: number): number {
  if (text.startsWith('"""', start)) {
    for (let at = text.indexOf('"""', start + 3); at >= 0; at = text.indexOf('"""', at + 3))
      if (text[at - 1] !== '\\') return at + 2
    return text.length
  }
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at
    if (text[at] === '\\') at++
  }
  return text.length
}

function skip(text: string, at: number): number {
  return at + match(IGNORED, text, at).length
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}
