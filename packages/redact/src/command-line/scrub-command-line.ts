import { scrubArguments, scrubText } from './scrub-arguments.ts'

/** Characters that are kept of a command line. */
const MAX_KEPT = 1024
/** Characters that are looked at: what comes after them is dropped, so that reading costs little. */
const MAX_READ = 4 * MAX_KEPT
/** A word that was cut: half a secret is not known for one. */
const LAST_WORD = /\S*$/

/**
 * A command line as it may be kept and shown. Secrets are masked in whole arguments before anything is cut, so that a
 * cut reveals no part of one. A text is a command line that was joined, and perhaps cut, before.
 */
export function scrubCommandLine(given: readonly string[] | string): string {
  if (typeof given !== 'string') return scrubArguments(bounded(given)).join(' ').slice(0, MAX_KEPT)
  const wasCut = given.length >= MAX_KEPT
  return scrubText(wasCut ? given.slice(0, MAX_KEPT).replace(LAST_WORD, '') : given)
}

function bounded(args: readonly string[]): readonly string[] {
  let left = MAX_READ
  const kept: string[] = []
  for (const arg of args) {
    if (arg.length > left) {
      kept.push(arg.slice(0, left).replace(LAST_WORD, ''))
      break
    }
    kept.push(arg)
    left -= arg.length
  }
  return kept
}
