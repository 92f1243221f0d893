import { type Certificate, type Evidence, keyOfParty } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const DAY = 86_400_000
const SOON = 14 * DAY

/** Certificates that had expired when they were presented, or soon will, and servers whose pods have different ones. */
export function certificates({ certificates: all }: Evidence): Finding[] {
  const servers = new Map<string, Certificate[]>()
  for (const one of all)
    servers.set(keyOfParty(one.server), [...(servers.get(keyOfParty(one.server)) ?? []), one])
  return [...servers.values()].flatMap((presented) => [...expiring(presented), ...differing(presented)])
}

/** The newest certificate of each pod; two at once are a rotation that reached only some of them. */
function differing(presented: readonly Certificate[]): Finding[] {
  const newest = new Map<string, Certificate>()
  for (const one of presented) {
    const known = newest.get(one.holder)
    if (known === undefined || one.seen > known.seen) newest.set(one.holder, one)
  }
  const bySerial = new Map<string, Certificate[]>()
  for (const one of newest.values())
    if (one.serial !== undefined) bySerial.set(one.serial, [...(bySerial.get(one.serial) ?? []), one])
  const groups = [...bySerial.values()].sort(
    (a, b) => a.length - b.length || (a[0]!.holder < b[0]!.holder ? -1 : 1),
  )
  const [[odd] = []] = groups
  // Pods that each have a certificate of their own, as in a mesh, are not a rotation that stopped half way.
  if (odd === undefined || groups.length !== 2 || newest.size < 3) return []
  const issuers = new Set(groups.map(([one]) => one?.issuer))
  return [
    {
      kind: 'certificate',
      score: issuers.size > 1 ? 52 : 42,
      what: `${odd.holder} of ${odd.server.name} presents another certificate than the other ${newest.size - groups[0]!.length} holders${issuers.size > 1 ? `, of another issuer (${odd.issuer ?? 'unknown'})` : ''}`,
      after: `${groups.length} certificates on ${newest.size} holders`,
      began: odd.seen,
      server: odd.server,
      selection: { server: odd.server, proto: 'tls' },
      against: ['A rotation that is under way looks the same.'],
    },
  ]
}

function expiring(presented: readonly Certificate[]): Finding[] {
  const first = presented.reduce((a, b) => (a.notAfter - a.seen <= b.notAfter - b.seen ? a : b))
  const left = first.notAfter - first.seen
  if (left > SOON) return []
  const { server } = first
  const until = new Date(first.notAfter).toISOString()
  const holders = new Set(presented.map(({ holder }) => holder))
  const valid = new Set(presented.filter(({ notAfter, seen }) => notAfter > seen).map(({ holder }) => holder))
  const isExpired = left <= 0
  return [
    {
      kind: 'certificate' as const,
      score: isExpired ? 84 : 40,
      what: isExpired
        ? `${server.name} presents a certificate that has expired${valid.size > 0 ? ` (${first.holder}; ${valid.size} of ${holders.size} holders have a valid one)` : ''}`
        : `The certificate of ${server.name} expires soon`,
      after: `valid until ${until}`,
      began: first.seen,
      server,
      selection: { server, proto: 'tls' },
      against: isExpired
        ? ['Clients that do not verify certificates are not affected.']
        : ['It is still valid.'],
    },
  ]
}
