import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { docsGroups } from '../apps/dashboard/src/docs/docs-index.ts'
import { linkTarget, readPlace } from '../apps/dashboard/src/docs/docs-place.ts'
import { type Inline, plainText } from '../apps/dashboard/src/docs/inline.ts'
import { type Block, parseMarkdown } from '../apps/dashboard/src/docs/markdown.ts'
import { anchorsOf, docsPages, root } from './docs-pages.ts'

/** The dashboard shows the documentation with a reader of its own: it must read what we write. */
const pages = docsPages()
  .filter(({ file }) => file.startsWith('docs/'))
  .map((page) => ({
    ...page,
    name: page.file.replace(/^docs\/(.*)\.md$/, '$1'),
    content: parseMarkdown(page.text),
  }))
const pageOf = (name: string) => pages.find((page) => page.name === name)

it('every heading has the anchor that it has on GitHub', () => {
  for (const page of pages) {
    const ids = page.content.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))
    const plain = ids.map((id) => id.replace(/-\d+$/, ''))
    const expected = anchorsOf(page).map((id) => id.replace(/-\d+$/, ''))
    expect(plain, page.file).toEqual(expected)
  }
})

it('no mark of Markdown is left in the text of a page', () => {
  const left = pages.flatMap((page) =>
    textsOf(page.content)
      .filter((text) => /\]\(|\*\*|```|^\s*\|.*\|\s*$/.test(text))
      .map((text) => `${page.file}: ${text.slice(0, 100)}`),
  )
  expect(left).toEqual([])
})

it('the list beside a page has every page but decisions', () => {
  const listed = docsGroups(pageOf('README')?.content ?? []).flatMap((group) =>
    group.pages.map(({ page }) => page),
  )
  const missing = pages.map(({ name }) => name).filter((name) => !/^README$|^decisions\//.test(name))
  expect(missing.filter((name) => !listed.includes(name))).toEqual([])
})

it('every link between pages leads to a page and a section that are shown', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page.content).flatMap((href) => {
      const target = linkTarget(page.name, href)
      return target.kind === 'place' && !exists(target.place) ? [`${page.file}: ${href}`] : []
    }),
  )
  expect(broken).toEqual([])
})

it('every link of the dashboard into the documentation leads to a page and a section', () => {
  const folder = join(root, 'apps/dashboard/src')
  const links = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(join(folder, file), 'utf8').matchAll(
          /(?:<DocsLink\s+to=|\bdocs(?:=|: ))["']([^"']+)["']/g,
        ),
      ].map(([, place = '']) => `${file}: ${place}`),
    )
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((link) => !exists(readPlace(link.split(': ')[1] ?? '')))).toEqual([])
})

function exists({
  page,
  section,
}: {
  readonly page: string
  readonly section?: string | undefined
}): boolean {
  const found = pageOf(page)
  if (!found) return false
  return (
    section === undefined || found.content.some((block) => block.kind === 'heading' && block.id === section)
  )
}

function inlinesOf(blocks: readonly Block[]): readonly (readonly Inline[])[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'table') return [block.head, ...block.rows].flat()
    if (block.kind === 'list') return block.items.flatMap(inlinesOf)
    if (block.kind === 'quote') return inlinesOf(block.blocks)
    return block.kind === 'code' ? [] : [block.parts]
  })
}

/** Text outside of code. */
function textsOf(blocks: readonly Block[]): readonly string[] {
  return inlinesOf(blocks).map((parts) => plainText(parts.filter((part) => part.kind !== 'code')))
}

function linksOf(blocks: readonly Block[]): readonly string[] {
  const ofParts = (parts: readonly Inline[]): readonly string[] =>
    parts.flatMap((part) => {
      if (part.kind === 'link') return [part.href]
      return 'parts' in part ? ofParts(part.parts) : []
    })
  return inlinesOf(blocks).flatMap(ofParts)
}
