import { protocols } from '@tapdeck/dissect'
import { type Catalog, compile, createCatalog, type Filter, KflError } from '@tapdeck/kfl'
import { UsageError } from '../arguments/usage-error.ts'

/** The catalog of all protocols. */
export function fullCatalog(): Catalog {
  return createCatalog(protocols)
}

/** Throws `UsageError` that points at the place. */
export function compileFilter(text: string, now = Date.now()): Filter {
  try {
    return compile(text, fullCatalog, now)
  } catch (error) {
    throw error instanceof KflError ? new UsageError(explainKflError(text, error)) : error
  }
}

/** The message, the filter, and a mark under what is wrong with it. */
export function explainKflError(text: string, error: KflError): string {
  const mark = ' '.repeat(error.position) + '^'.repeat(Math.max(1, error.length))
  const lines = [error.message, `  ${text.replaceAll(/\s/g, ' ')}`, `  ${mark}`]
  if (error.suggestion !== undefined && !error.message.includes(error.suggestion))
    lines.push(`  did you mean ${error.suggestion}?`)
  return lines.join('\n')
}
