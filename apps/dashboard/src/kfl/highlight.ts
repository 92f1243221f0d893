import { type TokenKind, tokens } from './tokens.ts'

export interface Piece {
  readonly text: string
  readonly kind: TokenKind
  /** It lies in the part that the check found wrong. */
  readonly wrong: boolean
}

export interface WrongPart {
  readonly position: number
  readonly length: number
}

/** The filter in coloured pieces. Where something is missing at the end, a blank after it carries the mark. */
export function highlight(filter: string, wrong: WrongPart | undefined): readonly Piece[] {
  const from = wrong ? Math.min(wrong.position, filter.length) : filter.length
  const to = wrong ? Math.min(from + Math.max(1, wrong.length), filter.length) : filter.length
  const pieces = tokens(filter).flatMap(({ text, kind, position }) =>
    [
      { text: text.slice(0, Math.max(0, from - position)), kind, wrong: false },
      { text: text.slice(Math.max(0, from - position), Math.max(0, to - position)), kind, wrong: true },
      { text: text.slice(Math.max(0, to - position)), kind, wrong: false },
    ].filter((piece) => piece.text !== ''),
  )
  return wrong && from >= filter.length ? [...pieces, { text: ' ', kind: 'space', wrong: true }] : pieces
}
