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
    const cost = distance(wanted, candidate)
    if (cost < least) {
      best = candidate
      least = cost
    }
  }
  return best
}

/** Damerau's: a swap of neighbours is one mistake. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, before[j - 2] + 1)
      row.push(cost)
    }
    before = above
    above = row
  }
  return above[b.length]
}
