import type { Finding, Severity, Suspect } from './finding.ts'
import { mayExplain } from './may-explain.ts'

const HIGH = 62
const MEDIUM = 45

/** What an explained finding keeps of its score; and what a cause gains for each of them, at most so much. */
const EXPLAINED = 0.62
const GAIN = 4
const MAX_GAIN = 16

/**
 * The most probable cause first. A callee that does not work explains its callers: it gains, and they lose. Findings that
 * are explained are listed all the same, behind it.
 */
export function rankFindings(findings: readonly Finding[]): Suspect[] {
  const causeOf = findings.map((finding, at) => causeIn(findings, finding, at))
  // Two parties that call each other would explain each other.
  for (const [at, cause] of causeOf.entries())
    if (cause !== undefined && reaches(causeOf, cause, at)) causeOf[at] = undefined
  const gains = findings.map((_, at) => causeOf.filter((cause) => cause === at).length)
  const scored = findings.map((finding, at) => ({
    finding,
    at,
    score:
      causeOf[at] === undefined
        ? Math.min(100, finding.score + Math.min(MAX_GAIN, GAIN * (gains[at] ?? 0)))
        : finding.score * EXPLAINED,
  }))
  scored.sort((a, b) => b.score - a.score || compare(a.finding, b.finding))
  const placeOf = new Map(scored.map(({ at }, place) => [at, place]))
  return scored.map(({ finding, at, score }) => {
    const cause = causeOf[at]
    const by = cause === undefined ? undefined : placeOf.get(cause)
    return {
      ...finding,
      score: Math.round(score),
      severity: severityOf(score),
      explains: causeOf.flatMap((one, symptom) => (one === at ? (placeOf.get(symptom) ?? []) : [])),
      ...(by !== undefined && { explainedBy: by }),
    }
  })
}

/** The strongest finding that would explain this one. */
function causeIn(findings: readonly Finding[], finding: Finding, at: number): number | undefined {
  let best: number | undefined
  for (const [place, one] of findings.entries()) {
    if (place === at || one.score < MEDIUM || !mayExplain(one, finding)) continue
    if (best === undefined || one.score > (findings[best]?.score ?? 0)) best = place
  }
  return best
}

/** Whether following causes from `from` comes to `to`. */
function reaches(causeOf: readonly (number | undefined)[], from: number, to: number): boolean {
  let at: number | undefined = from
  for (let steps = 0; at !== undefined && steps <= causeOf.length; steps++) {
    if (at === to) return true
    at = causeOf[at]
  }
  return false
}

function severityOf(score: number): Severity {
  return score >= HIGH ? 'high' : score >= MEDIUM ? 'medium' : 'note'
}

function compare(a: Finding, b: Finding): number {
  return (
    (a.began ?? Number.POSITIVE_INFINITY) - (b.began ?? Number.POSITIVE_INFINITY) ||
    (a.what < b.what ? -1 : 1)
  )
}
