import type { shapes } from '@tapdeck/api'
import { askMerged, partsOfGroup } from '@tapdeck/index'
import { textLiteral } from '@tapdeck/kfl'
import type { Lookups, NameAnswers, PodHeaders, Statement, Traffic } from '@tapdeck/suspects'
import type { z } from 'zod'
import { timesOf } from '../query/compared-window.ts'
import { allOf, groupFilter } from '../query/group-filter.ts'
import { type CallsQuery, mergedCalls } from '../query/merged-calls.ts'
import { SourceSet } from '../query/source-set.ts'
import { type EvidenceWindow, flowParty, partyOf } from './suspect-evidence.ts'

const MAX_NAMES = 2000
const MAX_LOOKUPS = 200
/** Pods whose headers are read, the busiest first, and calls of each. */
const MAX_PODS = 12
const CALLS_OF_POD = 8
const MAX_STATEMENTS = 300
const MAX_VALUE = 200
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
