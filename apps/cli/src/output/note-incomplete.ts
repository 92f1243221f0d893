import type { OperationOutput } from '@tapdeck/api'
import type { Terminal } from './terminal.ts'

/** Lines about one answer: what is older than the newest of them is summed up. */
const MAX_LINES = 20

type Span = NonNullable<OperationOutput<'list_api_calls'>['incomplete']>[number]

/** Says of which times an answer misses something, and why. */
export function noteIncomplete(
  terminal: Terminal,
  incomplete: OperationOutput<'list_api_calls'>['incomplete'] = [],
): void {
  const more = incomplete.length - MAX_LINES
  if (more > 0) terminal.note(`Incomplete at ${more} more times; --json lists them`)
  for (const span of incomplete.slice(-MAX_LINES)) terminal.note(lineOf(span))
}

function lineOf({ start, end, node, kind, reason, detail, pending, ...counts }: Span): string {
  const lost = Object.entries(counts).map(([what, count]) => `${count} ${what.replace('_', ' ')}`)
  const why = [...((detail ?? reason) ? [detail ?? reason] : []), ...lost].join(', ')
  const what =
    kind === 'not_recorded' ? 'Not recorded' : kind === 'not_indexed' ? 'Not indexed' : 'Incomplete'
  const where = node === undefined ? '' : ` on ${node}`
  const hint = pending
    ? '; it is being indexed now'
    : kind === 'not_recorded'
      ? ''
      : '; --db recording has what was skipped'
  return `${what} from ${start} to ${end}${where}${why === '' ? '' : `: ${why}`}${hint}`
}
