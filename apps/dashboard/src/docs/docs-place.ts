/** A page of the documentation, or a section of it. In the address of the page: `kfl` or `kfl:operators`. */
export interface DocsPlace {
  /** The file below `docs/`, without its ending. */
  readonly page: string
  /** The anchor of a heading. */
  readonly section?: string | undefined
}

export const DOCS_INDEX = 'README'

const PLACE = /^([\w-]+(?:\/[\w-]+)?)(?::([\p{L}\p{N}_-]+))?$/u

/** Text that names no place gives the index. */
export function readPlace(text: string): DocsPlace {
  const [, page = DOCS_INDEX, section] = PLACE.exec(text) ?? []
  return { page, section }
}

export function writePlace({ page, section }: DocsPlace): string {
  return section ? `${page}:${section}` : page
}

/** Where a link of a page leads: to a place of the documentation, to another host, or nowhere that a browser can open. */
export type LinkTarget =
  | { readonly kind: 'place'; readonly place: DocsPlace }
  | { readonly kind: 'outside'; readonly href: string }
  | { readonly kind: 'none' }

export function linkTarget(from: string, href: string): LinkTarget {
  if (/^https?:/i.test(href)) return { kind: 'outside', href }
  const [path = '', section] = href.split('#')
  if (path === '') return { kind: 'place', place: { page: from, section } }
  // The repository has more pages than `docs/`; those and other schemes are not served.
  const { pathname, host } = new URL(path, `http://docs/docs/${from}`)
  const [, page] = /^\/docs\/([\w-]+(?:\/[\w-]+)?)\.md$/.exec(pathname) ?? []
  return host === 'docs' && page ? { kind: 'place', place: { page, section } } : { kind: 'none' }
}
