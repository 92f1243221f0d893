import { type Evidence, type Incident, keyOfParty } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const OOM = /oom/i
const CRASH = /crash|error|backoff/i

/** Containers that ended or restarted, and rollouts, in the window. */
export function incidents({ incidents: all, after }: Evidence): Finding[] {
  const within = all.filter(({ ts }) => ts >= after.from - 60_000 && ts <= after.to)
  const bySubject = new Map<string, Incident[]>()
  for (const one of within) {
    const key = `${keyOfParty(one.subject)} ${isRollout(one) ? 'rollout' : 'restart'}`
    bySubject.set(key, [...(bySubject.get(key) ?? []), one])
  }
  return [...bySubject.values()].flatMap((list) => {
    const first = list.reduce((a, b) => (a.ts <= b.ts ? a : b))
    return isRollout(first) ? [rollout(first)] : isRestart(first) ? [restart(first, list)] : []
  })
}

function restart(first: Incident, list: readonly Incident[]): Finding {
  const reason = list.find((one) => one.reason !== undefined)?.reason ?? ''
  const score = OOM.test(reason) ? 76 : CRASH.test(reason) ? 64 : 50
  return {
    kind: 'restart',
    score,
    what: `A container of ${first.subject.name} ended${reason === '' ? '' : ` (${reason})`}`,
    after: `${list.length} events`,
    began: first.ts,
    server: first.subject,
    against: score < 60 ? ['It may have been stopped on purpose.'] : [],
  }
}

function rollout(first: Incident): Finding {
  return {
    kind: 'rollout',
    score: 38,
    what: `${first.subject.name} was rolled out${first.type === 'rollout_stalled' ? ', and the rollout stalled' : ''}`,
    after: first.type,
    began: first.ts,
    server: first.subject,
    against: ['A rollout is a change, not a fault: look at what began after it.'],
  }
}

function isRollout({ type }: Incident): boolean {
  return type.startsWith('rollout')
}

function isRestart({ type }: Incident): boolean {
  return type === 'container_ended' || type === 'container_restarted' || type === 'container_waiting'
}
