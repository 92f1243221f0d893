import { type Evidence, keyOfEdge, type Lookups } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const MIN_LOOKUPS = 3

/** Names that a name server never answers, though it answers others. */
export function unansweredNames({ before, after }: Evidence): Finding[] {
  const alive = new Set(
    after.lookups.filter(({ lookups, unanswered }) => unanswered < lookups).map((one) => one.server.name),
  )
  const wasSilent = new Set(
    (before?.lookups ?? [])
      .filter(({ lookups, unanswered }) => lookups >= MIN_LOOKUPS && unanswered === lookups)
      .map(keyOf),
  )
  return after.lookups.flatMap((one) => {
    if (one.lookups < MIN_LOOKUPS || one.unanswered < one.lookups) return []
    return [finding(one, alive.has(one.server.name), wasSilent.has(keyOf(one)))]
  })
}

function finding(
  { client, server, name, lookups, first }: Lookups,
  answersOthers: boolean,
  isOld: boolean,
): Finding {
  return {
    kind: 'dns_unanswered',
    score: isOld ? 42 : 70,
    what: `${server.name} never answers ${client.name} about ${name}${answersOthers ? ', though it answers about other names' : ''}`,
    after: `${lookups} lookups without an answer`,
    began: first,
    client,
    server,
    selection: { client, server, proto: 'dns', path: name },
    against: isOld ? ['It did not answer before, either.'] : [],
  }
}

function keyOf(one: Lookups): string {
  return `${keyOfEdge(one)} ${one.name}`
}
