import type { Traffic } from './evidence.ts'
import type { Finding, Severity, Suspect } from './finding.ts'
import { impactOf, SystemEdge } from './impact.ts'
import { mayExplain } from './may-explain.ts'

const HIGH = 62
const MEDIUM = 45

/** What an explained finding keeps of its score; and what a cause gains for each of them, at most so much. */
const EXPLAINED = 0.62
const GAIN = 4
const MAX_GAIN = 16
/** What a cause gains for calls that users lose: all of it from a quarter of the calls that enter the system. */
const EDGE_GAIN = 12
const EDGE_FULL = 4
/** With fewer lost calls, a finding is a note, whatever share they are. */
const SEVERAL = 3
const NOTE = 40
/** The most that a finding has which users hardly notice. */
const MINOR = 58
/** A cause has at least so much of the failures that it explains; a weak finding is one if it has most of them. */
const COVERS_SOME = 0.3
const COVERS_MOST = 0.5
const COUNTABLE = 5

interface Scored {
  readonly finding: Finding
  readonly at: number
  readonly score: number
  readonly consequences: readonly number[]
  readonly impact?: Suspect['impact']
}

/**
 * The most probable cause first: a callee that does not work explains its callers, and what users lose counts for the last
 * link of the chain. Then what follows from these, then what was there before the change, then notes.
 */
export function rankFindings(findings: readonly Finding[], edges: readonly Traffic[] = []): Suspect[] {
  const edge = new SystemEdge(edges)
  const causeOf = findings.map((finding, at) => causeIn(findings, finding, at))
  // Two parties that call each other would explain each other.
  for (const [at, cause] of causeOf.entries())
    if (cause !== undefined && reaches(causeOf, cause, at)) causeOf[at] = undefined
  const scored = findings.map((_, at) => scoredAt(findings, causeOf, at, edge))
  const isGrave = scored.some(
    ({ finding, at, score }) => causeOf[at] === undefined && !finding.isBackground && score >= HIGH,
  )
  const tier = ({ finding, at, score }: Scored) => {
    if (causeOf[at] !== undefined) return 1
    // Where nothing grave is new, what was always wrong is the answer.
    if (finding.isBackground && isGrave) return 2
    return score >= MEDIUM ? 0 : 3
  }
  scored.sort((a, b) => tier(a) - tier(b) || b.score - a.score || compare(a.finding, b.finding))
  const placeOf = new Map(scored.map(({ at }, place) => [at, place]))
  const placesOf = (list: readonly number[]) =>
    list.flatMap((one) => placeOf.get(one) ?? []).sort((a, b) => a - b)
  return scored.map(({ finding, at, score, consequences, impact }) => {
    const cause = causeOf[at]
    const by = cause === undefined ? undefined : placeOf.get(cause)
    return {
      ...finding,
      score: Math.round(score),
      severity: severityOf(score),
      explains: placesOf(causeOf.flatMap((one, symptom) => (one === at ? symptom : []))),
      ...(by !== undefined && { explainedBy: by }),
      victims: by === undefined ? placesOf(consequences) : [],
      ...(impact && { impact }),
    }
  })
}

function scoredAt(
  findings: readonly Finding[],
  causeOf: readonly (number | undefined)[],
  at: number,
  edge: SystemEdge,
): Scored {
  const finding = findings[at] as Finding
  const consequences = causeOf.flatMap((_, other) =>
    other !== at && reaches(causeOf, other, at) ? other : [],
  )
  const isCause = causeOf[at] === undefined
  const symptoms = isCause ? consequences.flatMap((one) => findings[one] ?? []) : []
  const lost = impactOf(finding, symptoms, edge)
  const shown = lost && { impact: lost.impact }
  if (!isCause) return { finding, at, score: finding.score * EXPLAINED, consequences, ...shown }
  if (lost !== undefined && lost.impact.lost < SEVERAL && (finding.loss?.lost ?? 0) < SEVERAL)
    return { finding, at, score: Math.min(finding.score, NOTE), consequences, ...shown }
  const strongest = Math.max(finding.score, ...symptoms.map(({ score }) => score))
  const enters = lost?.isAtEdge ? Math.min(1, (EDGE_FULL * lost.impact.lost) / Math.max(edge.calls, 1)) : 0
  const isStrong = strongest >= MEDIUM
  const score =
    strongest + Math.min(MAX_GAIN, GAIN * consequences.length) + (isStrong ? EDGE_GAIN * enters : 0)
  const isMinor = [finding, ...symptoms].every((one) => one.isMinor)
  return { finding, at, score: Math.min(isMinor ? MINOR : 100, score), consequences, ...shown }
}

/** The finding that explains most of this one, and is the strongest of these. */
function causeIn(findings: readonly Finding[], finding: Finding, at: number): number | undefined {
  let best: { readonly place: number; readonly weight: number } | undefined
  for (const [place, one] of findings.entries()) {
    // What is new explains nothing that was there before, nor the other way round.
    if (place === at || isOtherTime(one, finding) || !mayExplain(one, finding)) continue
    const part = coverage(one, finding)
    const isCounted = !one.isOrdinary && part >= COVERS_MOST && (one.loss?.lost ?? 0) >= COUNTABLE
    if (part < COVERS_SOME || (one.score < MEDIUM && !isCounted)) continue
    // Failures come of failures, if there are enough of them, before they come of delays.
    const isLikely = finding.loss?.how === 'failed' && one.loss?.how === 'failed' && part >= COVERS_MOST
    const weight = one.score * part + (isLikely ? 100 : 0)
    if (best === undefined || weight > best.weight) best = { place, weight }
  }
  return best?.place
}

/** What is compared with something else than the time before may be of any time. */
function isOtherTime(cause: Finding, symptom: Finding): boolean {
  if (cause.isBackground) return !symptom.isBackground
  const isNew = cause.before !== undefined && cause.comparedWith === undefined
  return isNew && symptom.isBackground === true
}

/** How much of the failures of the one the other has. Delays and failures cannot be counted against each other. */
function coverage({ loss: cause, kind }: Finding, { loss: symptom }: Finding): number {
  if (cause?.how !== 'failed' || symptom?.how !== 'failed' || kind === 'unanswered') return 1
  return Math.min(1, cause.lost / Math.max(symptom.lost, 1))
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
