import type { Page } from './docs-pages.ts'
import { inlineCode } from './docs-pages.ts'

/** The words of each `tapdeck` command that a page shows, without the word `tapdeck`. */
export function shownCommands(page: Page): string[][] {
  const lines = page.blocks
    .filter(({ language }) => language === 'sh' || language === '')
    .flatMap(({ text }) => text.replaceAll(/\\\n/g, ' ').split('\n'))
  return [...lines, ...inlineCode(page).filter((code) => /^(?:npx )?tapdeck /.test(code))].flatMap(commandsOf)
}

/** A line of a shell may run several commands. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = []
  let words: string[] = []
  for (const word of shellWords(line)) {
    if (/^(?:&&|\|\|?|;|>|\(|\)|\$)$/.test(word)) {
      commands.push(words)
      words = []
    } else words.push(word)
  }
  commands.push(words)
  return commands.flatMap((all) => {
    if (all[0] === 'tapdeck') return [all.slice(1)]
    if (all[0] === 'npx' && all[1] === 'tapdeck') return [all.slice(2)]
    // `npm start` passes its arguments to `tapdeck up`.
    if (all[0] === 'npm' && all[1] === 'start' && all[2] === '--') return [['up', ...all.slice(3)]]
    return []
  })
}

/** Quotes are removed; a `#` begins a comment; two spaces or more before prose end a command in an example of output. */
function shellWords(line: string): string[] {
  const words: string[] = []
  for (const [, double, single, operator, plain] of line.matchAll(
    /"([^"]*)"|'([^']*)'|(&&|\|\|?|[;>()])|([^\s'";>()|&]+)/g,
  )) {
    if (plain?.startsWith('#')) break
    words.push(double ?? single ?? operator ?? plain)
  }
  return words
}
