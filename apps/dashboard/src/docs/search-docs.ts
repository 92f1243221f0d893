import { plainText } from './inline.ts'
import type { Block } from './markdown.ts'

/** The text below one heading of a page. */
export interface DocsSection {
  readonly page: string
  readonly title: string
  /** The anchor of the heading; absent before the first one. */
  readonly section: string | undefined
  readonly heading: string
  readonly text: string
}

export interface DocsHit {
  readonly place: DocsSection
  /** The words around the first match. */
  readonly excerpt: string
}

const MAX_HITS = 30
const EXCERPT = 140

export function sectionsOf(page: string, blocks: readonly Block[]): readonly DocsSection[] {
  const first = blocks.find((block) => block.kind === 'heading')
  const title = first?.kind === 'heading' ? plainText(first.parts) : page
  const sections: { section: string | undefined; heading: string; texts: string[] }[] = []
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const isTitle = sections.length === 0
      const heading = plainText(block.parts)
      sections.push({ section: isTitle ? undefined : block.id, heading, texts: [] })
    } else sections.at(-1)?.texts.push(blockText(block))
  }
  return sections.map(({ texts, ...section }) => ({ page, title, ...section, text: texts.join(' ') }))
}

/** Sections that have all words, best first: in the title, then in the heading, then in the text. */
export function searchDocs(sections: readonly DocsSection[], search: string): readonly DocsHit[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = sections.flatMap((place) => {
    const title = place.title.toLowerCase()
    const heading = place.heading.toLowerCase()
    const text = place.text.toLowerCase()
    let score = 0
    for (const word of words) {
      const inHeading = heading.includes(word)
      const found = (inHeading ? 8 : 0) + (title.includes(word) ? 4 : 0) + (text.includes(word) ? 1 : 0)
      if (found === 0) return []
      score += found
    }
    if (place.section === undefined) score += 1
    return [{ place, score, excerpt: excerptOf(place.text, text, words) }]
  })
  return scored.sort((one, other) => other.score - one.score).slice(0, MAX_HITS)
}

function excerptOf(text: string, lower: string, words: readonly string[]): string {
  const at = words.map((word) => lower.indexOf(word)).find((place) => place >= 0) ?? 0
  const from = Math.max(0, at - EXCERPT / 3)
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT).trim()}${text.length > start + EXCERPT ? ' …' : ''}`
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return plainText(block.parts)
    case 'code':
      return block.text
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainText).join(' ')).join(' ')
    case 'list':
      return block.items.map((item) => item.map(blockText).join(' ')).join(' ')
    case 'quote':
      return block.blocks.map(blockText).join(' ')
  }
}
