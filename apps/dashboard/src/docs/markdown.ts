import { type Inline, parseInline, plainText } from './inline.ts'

/** A block of a Markdown page: what our pages use, and nothing else. */
export type Block =
  | {
      readonly kind: 'heading'
      readonly level: number
      readonly id: string
      readonly parts: readonly Inline[]
    }
  | { readonly kind: 'paragraph'; readonly parts: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }

const HEADING = /^(#{1,6}) (.+)$/
const FENCE = /^( {0,3})(`{3,})(\w*)\s*$/
const ITEM = /^( {0,3})([-*]|\d{1,3}\.) (?=\S)/
const TABLE_RULE = /^\|?[\s:|-]+\|[\s:|-]*$/
const QUOTE = /^ {0,3}> ?/

/** Lists in lists; deeper ones stay paragraphs. */
const MAX_DEPTH = 6

/** Reads a page line by line. What it does not know is a paragraph; HTML is text. */
export function parseMarkdown(text: string): readonly Block[] {
  return readBlocks(text.split(/\r?\n/), new Map(), 0)
}

type Ids = Map<string, number>

function readBlocks(lines: readonly string[], ids: Ids, depth: number): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const heading = HEADING.exec(line)
    const fence = FENCE.exec(line)
    if (line.trim() === '') at++
    else if (heading) {
      const parts = parseInline(heading[2] ?? '')
      blocks.push({
        kind: 'heading',
        level: heading[1]?.length ?? 1,
        id: newId(plainText(parts), ids),
        parts,
      })
      at++
    } else if (fence) {
      let last = at + 1
      while (last < lines.length && lines[last]?.trim() !== fence[2]) last++
      const indent = fence[1]?.length ?? 0
      const inner = lines.slice(at + 1, last).map((one) => one.slice(Math.min(indent, indentOf(one))))
      blocks.push({ kind: 'code', language: fence[3] ?? '', text: inner.join('\n') })
      at = last + 1
    } else if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '')) {
      let end = at + 2
      while ((lines[end] ?? '').includes('|')) end++
      const rows = lines.slice(at + 2, end).map(cellsOf)
      blocks.push({ kind: 'table', head: cellsOf(line), rows })
      at = end
    } else if (QUOTE.test(line) && depth < MAX_DEPTH) {
      let end = at
      while (QUOTE.test(lines[end] ?? '')) end++
      const inner = lines.slice(at, end).map((one) => one.replace(QUOTE, ''))
      blocks.push({ kind: 'quote', blocks: readBlocks(inner, ids, depth + 1) })
      at = end
    } else if (ITEM.test(line) && depth < MAX_DEPTH) {
      const { items, end } = itemsFrom(lines, at)
      const ordered = /\d/.test(ITEM.exec(line)?.[2] ?? '')
      blocks.push({ kind: 'list', ordered, items: items.map((item) => readBlocks(item, ids, depth + 1)) })
      at = end
    } else {
      let end = at + 1
      while (end < lines.length && !endsParagraph(lines, end)) end++
      const joined = lines.slice(at, end).map((one) => one.trim())
      blocks.push({ kind: 'paragraph', parts: parseInline(joined.join(' ')) })
      at = end
    }
  }
  return blocks
}

function endsParagraph(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (line.trim() === '' || HEADING.test(line) || FENCE.test(line) || QUOTE.test(line)) return true
  // A number in the middle of a sentence begins no list; the first of a list does.
  const item = ITEM.exec(line)
  if (item && (item[2] === '-' || item[2] === '*' || item[2] === '1.')) return true
  return line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '')
}

/** The items of the list that begins here, each as the lines within it, and where the list ends. */
function itemsFrom(lines: readonly string[], from: number): { items: string[][]; end: number } {
  const items: string[][] = []
  let inner = 0
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const item = ITEM.exec(line)
    const isWithin = indentOf(line) >= inner && items.length > 0
    if (item && !isWithin) {
      inner = item[0].length
      items.push([line.slice(inner)])
    } else if (line.trim() === '') {
      const next = lines.slice(at + 1, at + 3).find((one) => one.trim() !== '')
      if (next === undefined || (indentOf(next) < inner && !ITEM.test(next))) break
      items.at(-1)?.push('')
    } else if (isWithin) items.at(-1)?.push(line.slice(inner))
    else if (endsParagraph(lines, at)) break
    else items.at(-1)?.push(line.trim())
  }
  return { items, end: at }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** A `|` with a backslash before it is part of its cell, also in code, as on GitHub. */
function cellsOf(line: string): readonly (readonly Inline[])[] {
  const cells = line.trim().split(/(?<!\\)\|/)
  const inner = cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined)
  return inner.map((cell) => parseInline(cell.replaceAll('\\|', '|').trim()))
}

/** The anchor that GitHub gives to a heading. */
function newId(text: string, ids: Ids): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const before = ids.get(plain) ?? 0
  ids.set(plain, before + 1)
  return before === 0 ? plain : `${plain}-${before}`
}
