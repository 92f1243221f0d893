/** Longer statements are shown as they are. */
const MAX_CHARS = 65_536

/** A literal, a quoted name, a comment, a word, white space, or one other character. */
const PIECE =
  /'(?:[^'\\]|''|\\.)*'?|"(?:[^"\\]|""|\\.)*"?|`[^`]*`?|--[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?|\w+|\s+|[^\w\s]/g

/** Clauses that begin a line. */
const CLAUSES = new Set(
  'select from where having limit offset union intersect except values set returning insert update delete with window order group on left right inner full cross join'.split(
    ' ',
  ),
)
/** Words that go on with the clause before them. */
const FOLLOWERS: Readonly<Record<string, readonly string[]>> = {
  join: ['left', 'right', 'inner', 'full', 'cross', 'outer', 'natural'],
  from: ['delete', 'distinct'],
  update: ['for', 'on', 'do'],
  delete: ['on'],
  set: ['do'],
  select: ['insert'],
}
const CONNECTIVES = new Set(['and', 'or'])

/** A statement with each clause on a line of its own. Only white space outside of literals and comments changes. */
export function sqlLayout(statement: string): string {
  if (statement.length > MAX_CHARS) return statement
  const lines: string[] = []
  let line = ''
  let depth = 0
  let previous = ''
  let hasSpace = false
  const breakLine = (indent: number) => {
    if (line.trim() !== '') lines.push(line)
    line = '  '.repeat(indent)
    hasSpace = false
  }
  for (const [piece] of statement.matchAll(PIECE)) {
    if (/^\s/.test(piece)) {
      hasSpace = true
      continue
    }
    const word = piece.toLowerCase()
    if (piece === ')') depth = Math.max(0, depth - 1)
    const isClause = CLAUSES.has(word) && depth === 0 && !(FOLLOWERS[word] ?? []).includes(previous)
    if (isClause) breakLine(0)
    else if (depth === 0 && CONNECTIVES.has(word) && previous !== 'between') breakLine(1)
    else if (previous === ';') breakLine(0)
    else if (hasSpace && line.trim() !== '') line += ' '
    hasSpace = false
    line += piece
    if (piece.startsWith('--')) breakLine(0)
    if (piece === '(') depth++
    previous = word
  }
  breakLine(0)
  return lines.join('\n')
}
