/** Longer documents are shown as they are. */
const MAX_CHARS = 65_536
const MAX_INDENT = 40

/** A string (block or plain), a comment, white space, a bracket, or other text. */
const PIECE = /"""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[\s,]+|[{}()[\]]|[^\s,{}()[\]"#]+/g

/** A GraphQL document with one field a line. Only white space and commas outside of strings change. */
export function graphqlLayout(document: string): string {
  if (document.length > MAX_CHARS) return document
  const lines: string[] = []
  let line = ''
  let depth = 0
  /** Arguments and lists stay on their line. */
  let inline = 0
  const flush = () => {
    if (line.trim() !== '') lines.push(`${'  '.repeat(Math.min(depth, MAX_INDENT))}${line.trim()}`)
    line = ''
  }
  for (const [piece] of document.matchAll(PIECE)) {
    if (/^[\s,]/.test(piece)) {
      if (inline > 0) line += piece.includes(',') ? ', ' : ' '
      else if (/[\n,]/.test(piece) || depth > 0) line += isOpenField(line) ? ' ' : breakMark
      else line += ' '
      continue
    }
    if (piece === '(' || piece === '[') inline++
    if (piece === ')' || piece === ']') inline = Math.max(0, inline - 1)
    if (inline > 0 || !'{}'.includes(piece)) {
      if (line.endsWith(breakMark)) {
        line = line.slice(0, -1)
        if (continues(line, piece)) line += ' '
        else flush()
      }
      line += piece
      if (piece.startsWith('#')) flush()
      continue
    }
    line = line.replaceAll(breakMark, ' ')
    if (piece === '{') {
      line = `${line.trimEnd()} {`
      flush()
      depth++
    } else {
      flush()
      depth = Math.max(0, depth - 1)
      line = '}'
      flush()
    }
  }
  line = line.replaceAll(breakMark, ' ')
  flush()
  return lines.join('\n')
}

/** White space where a field may end; what follows decides. */
const breakMark = '\u0000'

/** `alias:`, `...` and `on` go on with what follows. */
function isOpenField(line: string): boolean {
  return /(?::|\.\.\.|\bon|=)\s*$/.test(line)
}

/** A directive, an argument list, a value and the type of a fragment belong to the field before. */
function continues(line: string, piece: string): boolean {
  return (
    piece.startsWith('@') ||
    piece.startsWith(':') ||
    piece === '(' ||
    /^\s*(?:query|mutation|subscription|fragment)\b/.test(line) ||
    (line.trim() === '...' && piece === 'on')
  )
}
