import type { Difference } from './compare.ts'
import type { Finding } from './survey.ts'

/** An explained difference. `ours` and `theirs` may be shortened with `…` or match anything (`*`). */
export interface Explained {
  readonly protocol: string
  readonly capture: string
  readonly field: string
  /** Absent: we do not say this. */
  readonly ours?: string
  /** Absent: tshark does not say this. */
  readonly theirs?: string
  /** How often; default: once. */
  readonly times?: number
  readonly reason: string
}

export interface Verdict {
  /** Unexplained differences, one per line. */
  readonly unexplained: readonly string[]
  /** Explanations of what does not occur, or not so often. */
  readonly outdated: readonly string[]
}

/** Every difference is in the list, and everything in the list occurs. */
export function judge(findings: readonly Finding[], list: readonly Explained[]): Verdict {
  const left = list.map((entry) => ({ entry, times: entry.times ?? 1 }))
  const unexplained: string[] = []
  for (const { protocol, capture, differences } of findings)
    for (const difference of differences) {
      const found = left.find(
        ({ entry, times }) =>
          times > 0 &&
          entry.protocol === protocol &&
          entry.capture === capture &&
          entry.field === difference.field &&
          matches(entry.ours, difference.ours) &&
          matches(entry.theirs, difference.theirs),
      )
      if (found === undefined) unexplained.push(line(protocol, capture, difference))
      else found.times--
    }
  const outdated = left
    .filter(({ times }) => times > 0)
    .map(
      ({ entry, times }) =>
        `${line(entry.protocol, entry.capture, entry)}: ${times} of ${entry.times ?? 1} did not occur`,
    )
  return { unexplained, outdated }
}

function matches(expected: string | undefined, actual: string | undefined): boolean {
  if (expected === '*') return true
  if (expected === undefined || actual === undefined) return expected === actual
  return expected.endsWith('…') ? actual.startsWith(expected.slice(0, -1)) : expected === actual
}

function line(
  protocol: string,
  capture: string,
  {
    field,
    ours,
    theirs,
  }:
    | { readonly field: string; readonly ours?: string | undefined; readonly theirs?: string | undefined }
    | Difference,
): string {
  return `${protocol} ${capture} ${field}: ours ${ours ?? '–'}, tshark ${theirs ?? '–'}`
}
