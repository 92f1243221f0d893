import { type Certificate, type Evidence, keyOfParty } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const DAY = 86_400_000
const SOON = 14 * DAY

/** Certificates that had expired when they were presented, or soon will, and servers whose pods have different ones. */
export function certificates({ certificates: all }: Evidence): Finding[] {
  const servers = new Map<string, Certificate[]>()
  for (const one of all)
    servers.set(keyOfParty(one.server), [...(servers.get(keyOfParty(one.server)) ?? []), one])
  return [...servers.values()].flatMap((presented) => {
    const first = presented.reduce((a, b) => (a.notAfter - a.seen <= b.notAfter - b.seen ? a : b))
    const left = first.notAfter - first.seen
    if (left > SOON) return []
    const { server } = first
    const until = new Date(first.notAfter).toISOString()
    const holders = new Set(presented.map(({ holder }) => holder))
    const valid = new Set(
      presented.filter(({ notAfter, seen }) => notAfter > seen).map(({ holder }) => holder),
    )
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
  })
}
