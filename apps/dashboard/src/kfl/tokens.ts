export type TokenKind = 'string' | 'number' | 'word' | 'operator' | 'name' | 'bracket' | 'space' | 'other'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly position: number
}

const words = new Set([
  'and',
  'or',
  'not',
  'in',
  'contains',
  'startswith',
  'endswith',
  'matches',
  'true',
  'false',
  'null',
])

const pattern =
  /(?<space>\s+)|(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(?<number>\d+(?:\.\d+)?(?:[a-z]+\b)?)|(?<name>[A-Za-z_][\w.]*)|(?<operator>[=!<>]=|&&|\|\||[<>!=+*/%-])|(?<bracket>[()[\]{},])|(?<other>.)/gsu

/** Cuts a filter into pieces for colouring and joining. The hub's parser decides what it means. */
export function tokens(text: string): readonly Token[] {
  return Array.from(text.matchAll(pattern), (match): Token => {
    const groups = match.groups ?? {}
    let kind = (Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'other') as TokenKind
    if (kind === 'name' && words.has(match[0].toLowerCase())) kind = 'word'
    return { kind, text: match[0], position: match.index }
  })
}
