import { type ReactNode, useMemo } from 'react'
import { docsHref, go } from '../address/use-address.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { linkTarget, writePlace } from './docs-place.ts'
import type { Inline } from './inline.ts'
import type { Block } from './markdown.ts'

export interface MarkdownViewProps {
  /** The page that the blocks are of: relative links begin there. */
  readonly page: string
  readonly blocks: readonly Block[]
}

/** A page as React elements. No text of it becomes HTML, so nothing in a page can act. */
export function MarkdownView({ page, blocks }: MarkdownViewProps) {
  return useMemo(() => <>{blocks.map((block, at) => blockView(block, page, at))}</>, [page, blocks])
}

/** The element of a section has this id: anchors must not meet the ids of the rest of the page. */
export function sectionId(section: string): string {
  return `doc-${section}`
}

function blockView(block: Block, page: string, key: number): ReactNode {
  switch (block.kind) {
    case 'heading': {
      // The view has the brand as its first heading.
      const Heading = (['h2', 'h3', 'h4', 'h5', 'h5', 'h5'] as const)[block.level - 1] ?? 'h5'
      return (
        <Heading key={key} id={sectionId(block.id)} tabIndex={-1}>
          {inlineView(block.parts, page)}
          {block.level > 1 && (
            <a
              className="doc-anchor"
              href={docsHref(writePlace({ page, section: block.id }))}
              aria-label="Link to this section"
            >
              #
            </a>
          )}
        </Heading>
      )
    }
    case 'paragraph':
      return <p key={key}>{inlineView(block.parts, page)}</p>
    case 'code':
      return block.language === 'kfl' ? (
        <Filters key={key} text={block.text} />
      ) : (
        <Code key={key} text={block.text} />
      )
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section key={key} className="doc-table" tabIndex={0} aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
                  <th key={at} scope="col">
                    {inlineView(cell, page)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
                <tr key={line}>
                  {row.map((cell, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
                    <td key={at}>{inlineView(cell, page)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )
    case 'list': {
      const items = block.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
        <li key={at}>{item.map((inner, place) => blockView(inner, page, place))}</li>
      ))
      return block.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
    }
    case 'quote':
      return <blockquote key={key}>{block.blocks.map((inner, at) => blockView(inner, page, at))}</blockquote>
  }
}

function inlineView(parts: readonly Inline[], page: string): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change
  return parts.map((part, at) => <Part key={at} part={part} page={page} />)
}

function Part({ part, page }: { readonly part: Inline; readonly page: string }) {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{inlineView(part.parts, page)}</strong>
    case 'emphasis':
      return <em>{inlineView(part.parts, page)}</em>
    case 'image':
      return <Picture src={part.src} alt={part.alt} />
    case 'link':
      return (
        <Link page={page} href={part.href}>
          {inlineView(part.parts, page)}
        </Link>
      )
  }
}

function Link({ page, href, children }: { page: string; href: string; children: ReactNode }) {
  const target = linkTarget(page, href)
  if (target.kind === 'place') return <a href={docsHref(writePlace(target.place))}>{children}</a>
  if (target.kind === 'outside')
    return (
      <a href={target.href} target="_blank" rel="noreferrer">
        {children}
      </a>
    )
  return <span title={`In the repository: ${href}`}>{children}</span>
}

/** Pictures come with the pages; one of another host is not loaded. */
function Picture({ src, alt }: { readonly src: string; readonly alt: string }) {
  return /^images\/[\w-]+\.svg$/.test(src) ? <img src={`/docs/${src}`} alt={alt} /> : <em>{alt}</em>
}

function Code({ text }: { readonly text: string }) {
  return (
    <div className="doc-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={() => text}>Copy</CopyButton>
    </div>
  )
}

/** Filters of the language's pages are there to be tried. */
function Filters({ text }: { readonly text: string }) {
  return (
    <ul className="doc-filters">
      {text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => (
          <li key={line}>
            <button
              type="button"
              title="Show the calls that match"
              onClick={() => go({ view: 'calls', kfl: line.trim(), call: undefined })}
            >
              <code>{line}</code>
            </button>
          </li>
        ))}
    </ul>
  )
}
