import { type Evidence, keyOfEdge, type Lookups, type Observation, secondsOf } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, perSecond } from '../statistics.ts'

const MIN_MISSING = 30
/** Names that do not exist, for each lookup that found something. A search path of Kubernetes has three domains. */
const MISSING_EACH = 2.5
const TIMES = 2

interface Search {
  readonly client: Lookups['client']
  readonly server: Lookups['server']
  missing: number
  found: number
  first: number
  /** The name that is tried most, and how often. */
  example: string
  tried: number
}

/** Clients that try each name with every search domain first. */
export function searchStorm({ before, after }: Evidence): Finding[] {
  const known = before ? searchesOf(before) : new Map<string, Search>()
  return [...searchesOf(after)].flatMap(([key, search]) => {
    const { missing, found, client, server } = search
    if (missing < MIN_MISSING || missing < MISSING_EACH * Math.max(found, 1)) return []
    const was = known.get(key)
    const rate = missing / secondsOf(after)
    const rateBefore = before && was ? was.missing / secondsOf(before) : 0
    const isNew = before !== undefined && rate >= rateBefore * TIMES
    const each = (missing / Math.max(found, 1)).toFixed(1)
    return [
      {
        kind: 'dns_search_storm' as const,
        score: isNew ? 56 + 3 * doublings(rate / Math.max(rateBefore, 1)) : 40,
        what: `${client.name} asks ${server.name} for ${each} names that do not exist for each one that does (search domains), such as ${search.example}`,
        ...(before && { before: perSecond(rateBefore) }),
        after: `${perSecond(rate)}, ${missing} lookups of names that do not exist`,
        began: search.first,
        client,
        server,
        selection: { client, server, proto: 'dns', error: 'NXDOMAIN' },
        against: isNew ? [] : ['It is so all the time: it costs time with each lookup, but nothing changed.'],
      },
    ]
  })
}

/** Names that a client tried with a search domain, by edge and name. */
export function searchAttempts(observation: Observation): ReadonlySet<string> {
  const isSearch = searchIn(observation)
  return new Set(
    observation.lookups.flatMap((one) =>
      one.missing > 0 && isSearch(one) ? `${keyOfEdge(one)} dns ${one.name}` : [],
    ),
  )
}

function searchIn({ lookups }: Observation): (one: Lookups) => boolean {
  const namesOf = new Map<string, Set<string>>()
  for (const one of lookups) {
    const names = namesOf.get(keyOfEdge(one)) ?? new Set()
    namesOf.set(keyOfEdge(one), names.add(one.name))
  }
  return (one) => hasSearchDomain(one.name, namesOf.get(keyOfEdge(one)))
}

function searchesOf(observation: Observation): ReadonlyMap<string, Search> {
  const searches = new Map<string, Search>()
  const isSearch = searchIn(observation)
  for (const one of observation.lookups) {
    // A name that does not exist by itself is no search.
    if (one.missing > 0 && !isSearch(one)) continue
    const search = searches.get(keyOfEdge(one)) ?? {
      client: one.client,
      server: one.server,
      missing: 0,
      found: 0,
      first: Number.POSITIVE_INFINITY,
      example: one.name,
      tried: 0,
    }
    search.found += one.lookups - one.missing - one.unanswered
    search.missing += one.missing
    if (one.missing > 0) search.first = Math.min(search.first, one.first)
    if (one.missing > search.tried) {
      search.tried = one.missing
      search.example = one.name
    }
    searches.set(keyOfEdge(one), search)
  }
  return searches
}

/** Whether the client asked for the beginning of this name too: then the rest is a search domain. */
function hasSearchDomain(name: string, names: ReadonlySet<string> | undefined): boolean {
  for (let at = name.indexOf('.'); at > 0; at = name.indexOf('.', at + 1))
    if (names?.has(name.slice(0, at))) return true
  return false
}
