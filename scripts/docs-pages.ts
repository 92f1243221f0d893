import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** A Markdown page of this repository. */
export interface Page {
  /** Relative to the repository: `docs/kfl.md`. */
  readonly file: string
  readonly text: string
  /** The text without code blocks. */
  readonly prose: string
  readonly blocks: readonly CodeBlock[]
}

export interface CodeBlock {
  /** What follows the opening fence: `sh`, `kfl`, `yaml`, or nothing. */
  readonly language: string
  readonly text: string
}

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm

export function docsPages(): Page[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (file) => `docs/${file}`,
  )
  return [...readdirSync(root), ...below]
    .filter((file) => file.endsWith('.md'))
    .map((file) => readPage(file, readFileSync(join(root, file), 'utf8')))
}

function readPage(file: string, text: string): Page {
  const blocks = [...text.matchAll(FENCE)].map(([, , language, inner]) => ({ language, text: inner }))
  return { file, text, prose: text.replace(FENCE, ''), blocks }
}

/** Where each relative link of a page leads, relative to the repository. */
export function relativeLinks({ file, prose }: Page): { target: string; anchor: string | undefined }[] {
  return [...prose.matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, link]) => {
    const [path, anchor] = link.split('#')
    return { target: path === '' ? file : normalize(join(dirname(file), path)), anchor }
  })
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf({ prose }: Page): string[] {
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Text in backquotes. */
export function inlineCode({ prose }: Page): string[] {
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code.replaceAll(/\s+/g, ' '))
}
