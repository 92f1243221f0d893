/** Words as a shell splits them, quotes kept, and the blanks before each. An open quote is a character like others. */
const WORD = /(\s*)((?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\S)+)/g

export interface Word {
  readonly before: string
  readonly text: string
}

export function splitWords(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 1: before, 2: word }) => ({ before: before!, text: word! }))
}
