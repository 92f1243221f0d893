import type { OperationOutput } from '@tapdeck/api'
import type { Observation } from '@tapdeck/suspects'

type Output = OperationOutput<'find_suspects'>

/** What was found, in a sentence or two, with what users lose and the next step. */
export function summaryOf(
  suspects: Output['suspects'],
  baseline: Output['baseline_is'],
  { edges, replicas }: Observation,
): string {
  const serious = suspects.filter(
    ({ severity, explained_by }) => severity !== 'note' && explained_by === undefined,
  )
  const [first] = serious
  if (first === undefined) {
    const calls = edges.reduce((sum, one) => sum + one.calls, 0)
    const compared = `Compared were latency, errors, rates and sizes of ${calls} calls between ${edges.length} pairs of client and server and at ${replicas.length} pods, and their connections, names, certificates and events.`
    return baseline === 'none'
      ? `Nothing changed within the window. ${compared} To compare it with another time, pass baseline_start and baseline_end, or baseline_db.`
      : `Nothing changed beyond chance. ${compared}`
  }
  const next = first.evidence[0] === undefined ? '' : ` Next: explain_call with id ${first.evidence[0]}.`
  const impact = first.impact === undefined ? '' : ` ${first.impact.text}.`
  if (first.background) return `It was so before, too: ${first.what}.${impact}${next}`
  const causes = serious.filter(({ background }) => !background).length
  const old = serious.find(({ background }) => background)
  const before = old === undefined ? '' : ` Wrong before the change, too: ${old.what}.`
  return `${causes === 1 ? '1 cause' : `${causes} causes`}; most probable: ${first.what}.${impact}${before}${next}`
}
