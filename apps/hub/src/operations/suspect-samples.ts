import type { shapes } from '@tapdeck/api'
import { unfinished } from '@tapdeck/dissect'
import { textLiteral } from '@tapdeck/kfl'
import { askMerged, partsOfGroup } from '@tapdeck/questions'
import {
  type Connections,
  type Lookups,
  type NameAnswers,
  type PodHeaders,
  resendTime,
  type Stalled,
  type Statement,
  type Traffic,
} from '@tapdeck/suspects'
import type { z } from 'zod'
import { timesOf } from '../query/compared-window.ts'
import { allOf, FAILED, groupFilter } from '../query/group-filter.ts'
import { type CallsQuery, mergedCalls } from '../query/merged-calls.ts'
import { STALLED, STALLED_RESENDS, selectionFilter } from '../query/selection-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { type EvidenceWindow, flowParty, partyOf } from './suspect-evidence.ts'

const MAX_NAMES = 2000
const MAX_LOOKUPS = 200
/** Pods whose headers are read, the busiest first, and calls of each. */
const MAX_PODS = 12
const CALLS_OF_POD = 8
const MAX_STATEMENTS = 300
const MAX_VALUE = 200
const MAX_STALLED = 100
/** Pairs whose connections are looked at one by one, those with most open ones first; and calls of each. */
const MAX_PAIRS = 6
const MIN_OPEN = 15
const CALLS_OF_PAIR = 400
/** A connection with so many calls was hardly used. */
const HARDLY_USED = 2
/** Statements that took longer may have waited for a lock. Microseconds. */
const SLOW_STATEMENT = 100_000
/** The header `date` counts in seconds and is cut off: on average it is half a second early. */
const DATE_CUT = 500
/** Headers that differ from call to call by their nature, or that are private. */
const VARYING =
  /^(date|age|expires|last-modified|etag|content-.*|set-cookie|connection|keep-alive|transfer-encoding|vary|trace.*|.*request-?id|.*correlation-?id|.*authenticate|x-amz.*|location|retry-after|.*ratelimit.*|:.*)$/

type Call = z.input<typeof shapes.call>

/** Questions to name servers, by client and name. */
export async function lookupsOf(window: EvidenceWindow): Promise<Lookups[]> {
  const { groups } = await askMerged(new SourceSet(window.sources), 'stats', {
    kfl: allOf(window.kfl, 'proto == "dns"'),
    group_by: 'src_service,service,error,path',
    limit: MAX_NAMES,
    profile: true,
    ...timesOf(window),
  })
  const names = new Map<string, Lookups>()
  for (const group of groups) {
    const [client, server, error, path] = partsOfGroup(group)
    const ends = { client: partyOf(client), server: partyOf(server), name: path?.group ?? '' }
    const key = JSON.stringify(ends)
    const known = names.get(key)
    const isMissing = error?.group === 'NXDOMAIN'
    names.set(key, {
      ...ends,
      lookups: (known?.lookups ?? 0) + group.calls,
      missing: (known?.missing ?? 0) + (isMissing ? group.calls : 0),
      unanswered: (known?.unanswered ?? 0) + (group.unanswered ?? 0),
      first: Math.min(known?.first ?? Number.POSITIVE_INFINITY, group.first_ts ?? 0),
    })
  }
  return [...names.values()]
}

/** Addresses in the newest answers of name servers. `owners` says who has an address. */
export async function answersOf(
  window: EvidenceWindow,
  owners: ReadonlyMap<string, string>,
): Promise<NameAnswers[]> {
  const calls = await sample(window, 'proto == "dns" and response.status == "NOERROR"', MAX_LOOKUPS, 'full')
  const names = new Map<string, NameAnswers>()
  for (const { src, dst, path, dns } of calls) {
    const { answer_data: data } = (dns ?? {}) as { answer_data?: readonly unknown[] }
    if (data === undefined || data.length === 0) continue
    const ends = { client: flowParty(src), server: flowParty(dst, Number(dst.port)), name: String(path) }
    const key = JSON.stringify(ends)
    const known = names.get(key)
    const addresses = [...new Set([...(known?.addresses ?? []), ...data.map(String)])].sort()
    names.set(key, {
      ...ends,
      lookups: (known?.lookups ?? 0) + 1,
      addresses,
      owners: [...new Set(addresses.flatMap((address) => owners.get(address) ?? []))].sort(),
    })
  }
  return [...names.values()]
}

/** Headers of the newest responses of the busiest pods. */
export async function headersOf(window: EvidenceWindow, replicas: readonly Traffic[]): Promise<PodHeaders[]> {
  const pods = replicas
    .filter(({ proto }) => proto === 'http')
    .toSorted((a, b) => b.calls - a.calls || (a.server.name < b.server.name ? -1 : 1))
    .slice(0, MAX_PODS)
  const found: PodHeaders[] = []
  for (const { client: service, server: pod, proto } of pods) {
    const kfl = [
      groupFilter('service', { group: service.name, ns: service.ns }),
      groupFilter('dst', { group: pod.name, ns: pod.ns }),
      `proto == ${textLiteral(proto)}`,
    ]
    const calls = await sample(window, allOf(...kfl), CALLS_OF_POD, 'full')
    const headers = calls.map(({ response }) => responseHeaders(response)).filter((one) => one !== undefined)
    if (headers.length === 0) continue
    const offsets = calls.flatMap((call) => clockOffset(call)).sort((a, b) => a - b)
    const middle = offsets[Math.floor(offsets.length / 2)]
    found.push({
      server: service,
      pod: pod.name,
      proto,
      ...(middle !== undefined && { clockOffset: middle }),
      constant: constantOf(headers),
      calls: headers.length,
    })
  }
  return found
}

/** Slow statements, and those that end transactions, the newest of each. */
export async function statementsOf(window: EvidenceWindow): Promise<Statement[]> {
  const sql = '(proto == "postgresql" or proto == "mysql")'
  const slow = await sample(window, `${sql} and elapsed_time > ${SLOW_STATEMENT}`, MAX_STATEMENTS, 'compact')
  if (slow.length === 0) return []
  const ends = await sample(window, `${sql} and method in ["COMMIT", "ROLLBACK"]`, MAX_STATEMENTS, 'compact')
  const statement = (call: Call, endsTransaction: boolean): Statement => ({
    client: flowParty(call.src),
    server: flowParty(call.dst, Number(call.dst.port)),
    proto: call.proto,
    session: String(call.id).split('/').at(-2) ?? '',
    text: String(call.path ?? call.method ?? ''),
    start: call.ts,
    end: call.ts + (call.latency_ms ?? 0),
    endsTransaction,
  })
  return [
    ...slow.filter(({ method }) => !isEnd(method)).map((call) => statement(call, false)),
    ...ends.map((call) => statement(call, true)),
  ]
}

/** Adds how the connections of those pairs are used that keep many open. */
export async function withUses(
  window: EvidenceWindow,
  pairs: readonly Connections[],
): Promise<readonly Connections[]> {
  const chosen = new Set(
    pairs
      .filter(({ open }) => open >= MIN_OPEN)
      .toSorted((a, b) => b.open - a.open)
      .slice(0, MAX_PAIRS),
  )
  const found: Connections[] = []
  for (const pair of pairs) {
    if (!chosen.has(pair)) {
      found.push(pair)
      continue
    }
    const { client, server } = pair
    const kfl = allOf(selectionFilter({ client, server }), `not (${FAILED})`, 'proto != "tls"')
    const uses = new Map<string, { readonly calls: number; readonly last: number }>()
    for (const { id, ts, latency_ms = 0 } of await sample(window, kfl, CALLS_OF_PAIR, 'compact')) {
      const { calls, last } = uses.get(connectionOf(id)) ?? { calls: 0, last: 0 }
      uses.set(connectionOf(id), { calls: calls + 1, last: Math.max(last, ts + latency_ms) })
    }
    const hardly = [...uses.values()].filter(({ calls }) => calls <= HARDLY_USED)
    // Keep-alive probes are packets, but no use.
    const quiet = hardly.reduce((sum, { last }) => sum + window.end - last, 0) / Math.max(hardly.length, 1)
    found.push({ ...pair, sampled: uses.size, hardlyUsed: hardly.length, quietMs: quiet })
  }
  return found
}

/** Requests on connections that had carried calls before, which are sent again and never answered. */
export async function stalledOf(window: EvidenceWindow): Promise<Stalled[]> {
  const calls = await sample(window, STALLED, MAX_STALLED, 'compact')
  const pairs = new Map<string, Stalled>()
  const connections = new Set<string>()
  for (const call of calls) {
    // The first call of a connection may have met a server that was never there.
    if (Number(String(call.id).split('/').at(-1)) === 0) continue
    // Counters are of the whole connection: what was sent again so soon is an earlier request, on a link that loses packets.
    if (call.error === unfinished && window.end - call.ts < resendTime(STALLED_RESENDS)) continue
    const ends = { client: flowParty(call.src), server: flowParty(call.dst, Number(call.dst.port)) }
    const key = JSON.stringify([ends, call.proto])
    const known = pairs.get(key)
    const isNew = !connections.has(connectionOf(call.id))
    connections.add(connectionOf(call.id))
    pairs.set(key, {
      ...ends,
      proto: call.proto,
      connections: (known?.connections ?? 0) + (isNew ? 1 : 0),
      requests: (known?.requests ?? 0) + 1,
      idle: Math.max(known?.idle ?? 0, await idleBefore(window, call)),
      first: Math.min(known?.first ?? call.ts, call.ts),
    })
  }
  return [...pairs.values()]
}

/** Milliseconds between the end of the call before on the same connection and this one. */
async function idleBefore({ sources }: EvidenceWindow, { id, ts }: Call): Promise<number> {
  const query = { limit: 1, order: 'newest', format: 'compact', end: ts - 0.001 } as const
  const { calls } = await mergedCalls(sources, { ...query, kfl: `conn_id == ${Number(connectionOf(id))}` })
  const [last] = calls as unknown as readonly Call[]
  return last === undefined ? 0 : Math.max(0, Math.round(ts - last.ts - (last.latency_ms ?? 0)))
}

/** The id of a call ends with its connection and its place on it. */
function connectionOf(id: string): string {
  return id.split('/').at(-2) ?? ''
}

async function sample(
  window: EvidenceWindow,
  kfl: string,
  limit: number,
  format: CallsQuery['format'],
): Promise<readonly Call[]> {
  const { sources, start, end } = window
  const query = { kfl: allOf(window.kfl, kfl), limit, order: 'newest', format, start, end } as const
  const { calls } = await mergedCalls(sources, query)
  return calls as unknown as readonly Call[]
}

function isEnd(method: unknown): boolean {
  return method === 'COMMIT' || method === 'ROLLBACK'
}

type Headers = Readonly<Record<string, unknown>>

function responseHeaders(response: unknown): Headers | undefined {
  return ((response ?? {}) as { headers?: Headers }).headers
}

function clockOffset({ ts, latency_ms = 0, response }: Call): number | [] {
  const date = Date.parse(String(responseHeaders(response)?.date))
  return Number.isNaN(date) ? [] : date + DATE_CUT - (ts + latency_ms)
}

function constantOf(all: readonly Headers[]): Record<string, string> {
  const [first = {}] = all
  return Object.fromEntries(
    Object.entries(first).flatMap(([name, value]) => {
      if (typeof value !== 'string' || value.length > MAX_VALUE || VARYING.test(name)) return []
      return all.every((headers) => headers[name] === value) ? [[name, value]] : []
    }),
  )
}
