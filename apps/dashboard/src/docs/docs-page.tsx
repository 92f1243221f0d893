import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { docsHref, useAddress } from '../address/use-address.ts'
import { countOf } from '../format/amount.ts'
import { isShortcut } from '../ui/is-shortcut.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { type DocsGroup, docsGroups } from './docs-index.ts'
import { DOCS_INDEX, readPlace, writePlace } from './docs-place.ts'
import { plainText } from './inline.ts'
import type { Block } from './markdown.ts'
import { MarkdownView, sectionId } from './markdown-view.tsx'
import { searchDocs } from './search-docs.ts'
import { useDocsPage, useDocsSections } from './use-docs.ts'

/** The documentation of this version, served by the hub: no other host is asked. */
export function DocsPage() {
  const place = readPlace(useAddress().doc)
  const index = useDocsPage(DOCS_INDEX)
  const { data, error } = useDocsPage(place.page)
  const groups = useMemo(() => (index.data ? docsGroups(index.data) : []), [index.data])
  const [search, setSearch] = useState('')
  const text = useRef<HTMLElement>(null)
  const isSearching = search.trim() !== ''
  // A page that was chosen ends the search.
  const chosen = writePlace(place)
  const [shown, setShown] = useState(chosen)
  if (shown !== chosen) {
    setShown(chosen)
    setSearch('')
  }

  useLayoutEffect(() => {
    if (!data || isSearching) return
    const heading = place.section && document.getElementById(sectionId(place.section))
    if (heading) {
      heading.scrollIntoView()
      heading.focus({ preventScroll: true })
    } else text.current?.scrollTo(0, 0)
  }, [data, place.section, isSearching])

  return (
    <main className="docs">
      <div className="docs-side">
        <SearchField value={search} onChange={setSearch} />
        <PageList groups={groups} page={place.page} blocks={data} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <article className="docs-text" ref={text} tabIndex={0} aria-label="Documentation">
        {isSearching ? (
          <Hits groups={groups} search={search} />
        ) : error ? (
          <ProblemNote problem={error} />
        ) : data ? (
          <MarkdownView page={place.page} blocks={data} />
        ) : (
          <p className="soft">Loading…</p>
        )}
      </article>
    </main>
  )
}

interface SearchFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function SearchField({ value, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isShortcut(event)) return
      input.current?.focus()
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <input
      ref={input}
      className="input"
      type="search"
      aria-label="Search the documentation"
      placeholder="Search the documentation"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => event.key === 'Escape' && onChange('')}
    />
  )
}

interface PageListProps {
  readonly groups: readonly DocsGroup[]
  readonly page: string
  /** The page that is shown, whose sections are listed below it. */
  readonly blocks: readonly Block[] | undefined
}

/** More sections than this, as in the reference of commands, are found by the search. */
const MAX_SECTIONS = 30

function PageList({ groups, page, blocks = [] }: PageListProps) {
  const current = useRef<HTMLAnchorElement>(null)
  const hasList = groups.length > 0
  useEffect(() => {
    if (hasList && page !== DOCS_INDEX) current.current?.scrollIntoView({ block: 'nearest' })
  }, [hasList, page])
  const sections = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block] : []))
  return (
    <nav className="docs-list" aria-label="Pages of the documentation">
      <a href={docsHref(DOCS_INDEX)} aria-current={page === DOCS_INDEX ? 'page' : undefined}>
        All pages
      </a>
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h3>{group.title}</h3>
          {group.pages.map(({ page: name, title, purpose }) => (
            <div key={name}>
              <a
                href={docsHref(name)}
                title={purpose}
                ref={name === page ? current : undefined}
                aria-current={name === page ? 'page' : undefined}
              >
                {title}
              </a>
              {name === page && sections.length > 1 && sections.length <= MAX_SECTIONS && (
                <ul>
                  {sections.map(({ id, parts }) => (
                    <li key={id}>
                      <a className="docs-section" href={docsHref(writePlace({ page, section: id }))}>
                        {plainText(parts)}
                      </a>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          ))}
        </section>
      ))}
    </nav>
  )
}

function Hits({ groups, search }: { readonly groups: readonly DocsGroup[]; readonly search: string }) {
  const { sections, isLoading } = useDocsSections(groups, true)
  const hits = useMemo(() => searchDocs(sections, search), [sections, search])
  return (
    <section aria-label="Search results">
      <p className="soft" role="status">
        {isLoading ? 'Searching…' : countOf(hits.length, 'section')}
      </p>
      {!isLoading && hits.length === 0 && (
        <p>No section has all of these words. Try fewer words, or the list of pages.</p>
      )}
      <ul className="docs-hits">
        {hits.map(({ place: { page, title, section, heading }, excerpt }) => (
          <li key={`${page}:${section}`}>
            <b>
              <a href={docsHref(writePlace({ page, section }))}>
                {title === heading ? title : `${title}: ${heading}`}
              </a>
            </b>
            <p className="soft">{excerpt}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
