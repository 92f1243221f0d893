import { linkTarget } from './docs-place.ts'
import { plainText } from './inline.ts'
import type { Block } from './markdown.ts'

export interface DocsGroup {
  readonly title: string
  readonly pages: readonly { readonly page: string; readonly title: string; readonly purpose: string }[]
}

/** The groups of pages that the index lists: each heading with the table below it. Pages that are not served are left out. */
export function docsGroups(index: readonly Block[]): readonly DocsGroup[] {
  const groups: DocsGroup[] = []
  let title = ''
  for (const block of index) {
    if (block.kind === 'heading') title = plainText(block.parts)
    if (block.kind !== 'table') continue
    const pages = block.rows.flatMap(([name = [], purpose = []]) => {
      const [link] = name
      if (link?.kind !== 'link') return []
      const target = linkTarget('README', link.href)
      if (target.kind !== 'place') return []
      return [{ page: target.place.page, title: plainText(link.parts), purpose: plainText(purpose) }]
    })
    if (pages.length > 0) groups.push({ title, pages })
  }
  return groups
}
