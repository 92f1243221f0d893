import { type Evidence, keyOfEdge, type NameAnswers } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const MIN_LOOKUPS = 3

/** Names for which a name server gives addresses of another service than before. */
export function changedAnswers({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const known = new Map(before.answers.map((one) => [keyOf(one), one]))
  return after.answers.flatMap((one) => {
    const was = known.get(keyOf(one))
    if (was === undefined || Math.min(was.lookups, one.lookups) < MIN_LOOKUPS) return []
    const strange = one.addresses.filter((address) => !was.addresses.includes(address))
    // Pods come and go: addresses of the same owner are the same answer.
    if (strange.length === 0 || one.owners.every((owner) => was.owners.includes(owner))) return []
    return [finding(one, was, strange)]
  })
}

function finding(is: NameAnswers, was: NameAnswers, strange: readonly string[]): Finding {
  const { client, server, name } = is
  const isKnown = was.owners.length > 0 && is.owners.length > 0
  const shown = ({ addresses, owners }: NameAnswers) =>
    `${addresses.slice(0, 3).join(', ')}${owners.length === 0 ? '' : ` (${owners.slice(0, 3).join(', ')})`}`
  return {
    kind: 'dns_answer_changed',
    score: isKnown ? 78 : 50,
    what: `${server.name} gives ${client.name} another address for ${name}: ${strange[0]}${is.owners.length === 0 ? '' : `, which belongs to ${is.owners[0]}`}`,
    before: shown(was),
    after: shown(is),
    client,
    server,
    selection: { client, server, proto: 'dns', path: name },
    against: isKnown
      ? []
      : ['Nothing is known of who has the addresses: they may be new pods of the same service.'],
  }
}

function keyOf(one: NameAnswers): string {
  return `${keyOfEdge(one)} ${one.name}`
}
