import { editDistance } from '@tapdeck/spelling'

const SYNONYMS: Readonly<Record<string, string>> = {
  source: 'src',
  from: 'src',
  destination: 'dst',
  dest: 'dst',
  to: 'dst',
  ipv4: 'ip',
  ipv6: 'ip6',
  icmpv6: 'icmp6',
  ethernet: 'ether',
  mac: 'ether',
  length: 'len',
  ports: 'port',
  hosts: 'host',
  dns: 'domain',
}

/** The known word that was most likely meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase().slice(0, 64)
  const synonym = Object.hasOwn(SYNONYMS, wanted) ? SYNONYMS[wanted] : undefined
  if (synonym !== undefined && known.includes(synonym)) return synonym
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  let best: string | undefined
  let least = allowed + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue
    const cost = editDistance(wanted, candidate)
    if (cost < least) {
      best = candidate
      least = cost
    }
  }
  return best
}
