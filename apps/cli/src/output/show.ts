import { visiblePlainText, visibleText } from '@tapdeck/api/visible-text'
import type { Terminal } from './terminal.ts'

export function showJson(terminal: Terminal, value: unknown): Promise<void> {
  return terminal.out(`${visibleText(JSON.stringify(value, null, 2))}\n`)
}

/** One thing as lines of `key  value`, leaving out what is not known. */
export function showFacts(
  terminal: Terminal,
  facts: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Promise<void> {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  const width = Math.max(0, ...known.map(([key]) => key.length))
  return terminal.out(
    known.map(([key, value]) => `${key.padEnd(width)}  ${visiblePlainText(String(value))}\n`).join(''),
  )
}
