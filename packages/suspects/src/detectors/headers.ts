import type { Evidence, PodHeaders } from '../evidence.ts'
import type { Finding } from '../finding.ts'

const MIN_CALLS = 3
/** Headers that say which release answers. */
const RELEASE = /version|release|build|revision|commit|^server$|^x-powered-by$/
const MAX_SHOWN = 3

/** Response headers that have another value than before, as after a release. */
export function changedHeaders({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const known = new Map<string, PodHeaders[]>()
  for (const one of before.headers) {
    const key = keyOf(one)
    known.set(key, [...(known.get(key) ?? []), one])
  }
  const reported = new Set<string>()
  return after.headers.flatMap((one) => {
    const was = known.get(keyOf(one))?.find(({ calls }) => calls >= MIN_CALLS)
    if (was === undefined || one.calls < MIN_CALLS || reported.has(keyOf(one))) return []
    const changed = Object.keys({ ...was.constant, ...one.constant })
      .filter((name) => was.constant[name] !== one.constant[name])
      .filter((name) => RELEASE.test(name) || (name in was.constant && name in one.constant))
      .sort()
    if (changed.length === 0) return []
    reported.add(keyOf(one))
    return [finding(one, was, changed)]
  })
}

function finding(is: PodHeaders, was: PodHeaders, changed: readonly string[]): Finding {
  const { server, proto, pod } = is
  const isRelease = changed.some((name) => RELEASE.test(name))
  const shown = (one: PodHeaders) =>
    changed
      .slice(0, MAX_SHOWN)
      .map((name) => `${name}: ${(one.constant[name] ?? '(absent)').slice(0, 80)}`)
      .join(', ')
  return {
    kind: 'header_changed',
    score: isRelease ? 40 : 32,
    what: `${server.name} answers with other headers than before (${changed.slice(0, MAX_SHOWN).join(', ')})${isRelease ? ': a release' : ''}`,
    before: shown(was),
    after: shown(is),
    server,
    selection: { server, proto },
    against: [
      'A release is a change, not a fault: look at what began with it.',
      `Read from a sample of the calls to ${pod}.`,
    ],
  }
}

function keyOf({ server, pod }: PodHeaders): string {
  return `${server.ns ?? ''}/${server.name}/${pod}`
}
