import { editDistance } from '@tapdeck/spelling'

/** Words that people use for the same thing. */
const SYNONYMS: Readonly<Record<string, string>> = {
  source: 'src',
  client: 'src',
  destination: 'dst',
  dest: 'dst',
  target: 'dst',
  server: 'dst',
  req: 'request',
  res: 'response',
  resp: 'response',
  code: 'status',
  statuscode: 'status_code',
  uri: 'path',
  url: 'path',
  verb: 'method',
  header: 'headers',
  label: 'labels',
  duration: 'latency',
  time: 'timestamp',
  address: 'ip',
  addr: 'ip',
  host: 'name',
}

/** The name that was most likely meant: by edit distance, by last segment, or by a word that means the same. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().slice(0, 80)
  const translated = wanted
    .split('.')
    .map((segment) => (Object.hasOwn(SYNONYMS, segment) ? SYNONYMS[segment] : segment))
    .join('.')
  let best: string | undefined
  let bestCost = Number.POSITIVE_INFINITY
  for (const candidate of names) {
    const cost = Math.min(costOf(wanted, candidate), costOf(translated, candidate) + 0.5)
    if (cost < bestCost) {
      best = candidate
      bestCost = cost
    }
  }
  return bestCost < Number.POSITIVE_INFINITY ? best : undefined
}

function costOf(wanted: string, candidate: string): number {
  const lower = candidate.toLowerCase()
  const allowed = Math.max(1, Math.floor(wanted.length / 3))
  const distance =
    Math.abs(lower.length - wanted.length) > allowed ? allowed + 1 : editDistance(wanted, lower)
  if (distance <= allowed) return distance
  const segments = lower.split('.')
  const tail = segments[segments.length - 1]
  const wantedTail = wanted.slice(wanted.lastIndexOf('.') + 1)
  // The node that captured is seldom who was meant.
  const isOfNode = segments[0] === 'node' && !wanted.startsWith('node')
  if (segments.length > 1 && tail === wantedTail && !isOfNode) return allowed + 1 + segments.length * 0.1
  if (segments.length > 1 && wanted.replaceAll('_', '.') === lower.replaceAll('_', '.')) return 0.5
  return Number.POSITIVE_INFINITY
}
