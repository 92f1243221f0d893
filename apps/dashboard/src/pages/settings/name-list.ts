/** Names that are separated by commas or blanks. */
export function nameList(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))]
}

/** Why a regular expression will not do; nothing where it will. */
export function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern)
    return undefined
  } catch {
    return 'This is no regular expression. An example: ^shop-'
  }
}
