import type { shapes } from '@tapdeck/api'
import {
  askMerged,
  type FlowRow,
  type GroupName,
  partsOfGroup,
  type StatsGroup,
  type StatsGroupBy,
} from '@tapdeck/questions'
import {
  type Certificate,
  type Connections,
  changePoint,
  type Incident,
  type Observation,
  type Party,
  type Slice,
  type Traffic,
} from '@tapdeck/suspects'
import type { z } from 'zod'
import type { CallSource } from '../query/call-source.ts'
import { timesOf } from '../query/compared-window.ts'
import { failuresOf } from '../query/failures-of.ts'
import { allOf, FAILED } from '../query/group-filter.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { SILENT } from '../query/selection-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { listEvents } from './events.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'

/** Groups of one question. The index adds calls up: what is fetched does not grow with them. */
const MAX_GROUPS = 2000
const MAX_SLICES = 30
const MAX_SERIES_ROWS = 6000
/** The busiest pairs, in which the first change is looked for. */
const MAX_SERIES = 300
const MAX_FLOWS = 2000
const MAX_HANDSHAKES = 200
const MAX_EVENTS = 1000

/** Calls that are looked at. Unix milliseconds, both included. */
export interface EvidenceWindow {
  readonly sources: readonly CallSource[]
  readonly kfl: string
  readonly start: number
  readonly end: number
}

type Call = z.input<typeof shapes.call>

/** What the index adds up. What is read from single calls comes from `suspect-samples`. */
export async function observe(
  window: EvidenceWindow,
): Promise<Omit<Observation, 'lookups' | 'answers' | 'headers'>> {
  const groups = async (group_by: StatsGroupBy, kfl: string) => {
    const asked = { kfl, group_by, limit: MAX_GROUPS, profile: true, ...timesOf(window) }
    return askMerged(new SourceSet(window.sources), 'stats', asked)
  }
  // One after another: each compiles the filter, and together they would hold the event loop.
  const edges = await groups('src_service,service,proto', window.kfl)
  const paths = await groups('src_service,service,proto,path', window.kfl)
  const failures = await groups(
    'src_service,service,proto,error,connection_end,path',
    allOf(window.kfl, FAILED),
  )
  const replicas = await groups('service,dst,proto,node', window.kfl)
  const silent = await groups('src_service,service,proto', allOf(window.kfl, SILENT))
  const isCut = [edges, failures].some(
    (page) => page.groups.length >= MAX_GROUPS || page.approximate || page.counted_from_ts !== undefined,
  )
  return {
    from: window.start,
    to: window.end,
    edges: edges.groups.map((one) => trafficOf(one)),
    paths: paths.groups.map((one) => trafficOf(one, ([, , , path]) => ({ path: path?.group ?? '' }))),
    failures: failures.groups.map((one) =>
      trafficOf(one, ([, , , error, end, path]) => ({
        error: error?.group ?? '',
        ...known('connectionEnd', end),
        ...known('path', path),
      })),
    ),
    replicas: podsOf(replicas.groups),
    silent: silent.groups.map((one) => trafficOf(one)),
    isCut,
  }
}

/** One row a pod. An address without a name may be seen from several nodes: it has none. */
function podsOf(groups: readonly StatsGroup[]): Traffic[] {
  const pods = new Map<string, Traffic>()
  for (const group of groups) {
    const pod = trafficOf(group, ([, , , node]) => (node ? { node: node.group } : {}))
    const key = JSON.stringify([pod.client, pod.server, pod.proto])
    const known = pods.get(key)
    pods.set(key, known === undefined ? pod : seenTwice(known, pod))
  }
  return [...pods.values()]
}

function seenTwice(one: Traffic, other: Traffic): Traffic {
  const { node: _, ...most } = one.calls >= other.calls ? one : other
  return { ...most, calls: one.calls + other.calls, failures: one.failures + other.failures }
}

function known(name: 'path' | 'connectionEnd', part: GroupName | undefined): Partial<Traffic> {
  return part === undefined || part.group === '(unknown)' ? {} : { [name]: part.group }
}

function trafficOf(
  group: StatsGroup,
  more: (parts: readonly GroupName[]) => Partial<Traffic> = () => ({}),
): Traffic {
  const parts = partsOfGroup(group)
  const [client, server, proto] = parts
  const { latency_p50_ms, latency_p90_ms } = group
  return {
    client: partyOf(client),
    server: partyOf(server),
    proto: proto?.group ?? '',
    calls: group.calls,
    failures: failuresOf(group),
    unanswered: group.unanswered ?? 0,
    ...(latency_p50_ms !== undefined && { p50: latency_p50_ms }),
    ...(latency_p90_ms !== undefined && { p90: latency_p90_ms }),
    requestBytes: group.req_bytes ?? 0,
    responseBytes: group.resp_bytes ?? 0,
    first: group.first_ts ?? 0,
    last: group.last_ts ?? 0,
    ...more(parts),
  }
}

export function partyOf(part: GroupName | undefined): Party {
  return { name: part?.group ?? '', ...(part?.ns !== undefined && { ns: part.ns }) }
}

/** When the calls of some pair first changed; undefined where none did. */
export async function firstChange(window: EvidenceWindow): Promise<number | undefined> {
  const { groups } = await askMerged(new SourceSet(window.sources), 'stats', {
    kfl: window.kfl,
    group_by: 'time,src_service,service,proto',
    limit: MAX_SERIES_ROWS,
    buckets: MAX_SLICES,
    profile: true,
    ...timesOf(window),
  })
  const series = new Map<string, Slice[]>()
  const times = new Set<number>()
  for (const group of groups) {
    const [time, ...pair] = partsOfGroup(group)
    const at = Number(time?.group)
    const key = pair.map(({ group: name, ns = '' }) => `${ns}/${name}`).join(' ')
    const slice = { at, calls: group.calls, failures: failuresOf(group) }
    const { latency_p50_ms: p50, latency_p90_ms: p90 } = isTransport(pair.at(-1)?.group) ? {} : group
    times.add(at)
    series.set(key, [
      ...(series.get(key) ?? []),
      { ...slice, ...(p50 !== undefined && { p50 }), ...(p90 !== undefined && { p90 }) },
    ])
  }
  const busiest = [...series.values()]
    .map((slices) => ({ slices, calls: slices.reduce((sum, { calls }) => sum + calls, 0) }))
    .sort((a, b) => b.calls - a.calls)
    .slice(0, MAX_SERIES)
  return changePoint(
    busiest.map(({ slices }) => slices),
    [...times].sort((a, b) => a - b),
  )
}

/** Their latency is the life of a connection. */
function isTransport(proto: string | undefined): boolean {
  return proto === 'tcp' || proto === 'udp' || proto === 'sctp' || proto === 'websocket'
}

/** The connections of the window by pair, and who has which address. */
export interface SeenConnections {
  readonly pairs: readonly Connections[]
  readonly owners: ReadonlyMap<string, string>
}

export async function connectionsOf(
  after: EvidenceWindow,
  before: EvidenceWindow | undefined,
): Promise<SeenConnections> {
  const owners = new Map<string, string>()
  const counted = new Map<string, number>()
  for (const row of before ? await flowsOf(before) : []) {
    const { key } = endsOf(row)
    counted.set(key, (counted.get(key) ?? 0) + row.flows)
    rememberOwners(row, owners)
  }
  const pairs = new Map<string, Connections>()
  for (const row of await flowsOf(after)) {
    const { totals, client_stats, flows: connections, tcp, open = 0 } = row
    const { ends, key } = endsOf(row)
    const known = pairs.get(key)
    rememberOwners(row, owners)
    pairs.set(key, {
      ...ends,
      connections: (known?.connections ?? 0) + connections,
      open: (known?.open ?? 0) + open,
      ...(before && { connectionsBefore: counted.get(key) ?? 0 }),
      packets: (known?.packets ?? 0) + totals.pkts,
      requestBytes: (known?.requestBytes ?? 0) + client_stats.tx_bytes,
      responseBytes: (known?.responseBytes ?? 0) + client_stats.rx_bytes,
      retransmissions: (known?.retransmissions ?? 0) + (tcp?.retransmissions ?? 0),
      zeroWindows: (known?.zeroWindows ?? 0) + (tcp?.zero_window ?? 0),
      ...earliest('clientZeroWindow', known?.clientZeroWindow, tcp?.client_zero_window_ts),
      ...earliest('serverZeroWindow', known?.serverZeroWindow, tcp?.server_zero_window_ts),
    })
  }
  return { pairs: [...pairs.values()], owners }
}

function earliest(name: 'clientZeroWindow' | 'serverZeroWindow', ...times: (number | undefined)[]) {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? {} : { [name]: Math.min(...known) }
}

async function flowsOf({ sources, start, end }: EvidenceWindow): Promise<readonly FlowRow[]> {
  const asked = { l4proto: 'tcp', order: 'packets', limit: MAX_FLOWS, start, end } as const
  const { flows } = await askMerged(new SourceSet(sources), 'flows', asked)
  return flows
}

function endsOf({ client, server }: FlowRow) {
  const ends = { client: flowParty(client), server: flowParty(server, server.port) }
  return { ends, key: JSON.stringify(ends) }
}

function rememberOwners({ client, server }: FlowRow, owners: Map<string, string>): void {
  for (const { ip, svc, pod } of [client, server]) {
    const owner = svc ?? pod
    if (ip !== undefined && owner !== undefined) owners.set(ip, owner)
  }
}

interface FlowEnd {
  readonly svc?: string | undefined
  readonly pod?: string | undefined
  readonly ns?: string | undefined
  readonly ip?: string | undefined
}

/** As the groups of calls name it. */
export function flowParty({ svc, pod, ns, ip = '' }: FlowEnd, port?: number): Party {
  const name = svc ?? pod
  if (name === undefined) return { name: port === undefined ? ip : `${ip}:${port}` }
  return { name, ...(ns !== undefined && { ns }) }
}

interface Presented {
  readonly not_after?: unknown
  readonly serial?: unknown
  readonly issuer?: unknown
}

/** Of the newest handshakes. */
export async function certificatesOf({ sources, kfl, start, end }: EvidenceWindow): Promise<Certificate[]> {
  const query = {
    kfl: allOf(kfl, 'proto == "tls"'),
    limit: MAX_HANDSHAKES,
    order: 'newest',
    start,
    end,
  } as const
  const { calls } = await mergedCalls(sources, { ...query, format: 'full' })
  return (calls as unknown as readonly Call[]).flatMap(({ ts, dst, tls }) => {
    const { certificate } = (tls ?? {}) as { certificate?: Presented }
    const notAfter = Date.parse(String(certificate?.not_after))
    if (Number.isNaN(notAfter)) return []
    const holder = dst.pod ?? dst.ip
    return {
      server: flowParty(dst, Number(dst.port)),
      holder: String(holder),
      notAfter,
      seen: ts,
      ...(certificate?.serial !== undefined && { serial: String(certificate.serial) }),
      ...(certificate?.issuer !== undefined && { issuer: String(certificate.issuer) }),
    }
  })
}

/** What happened to pods and workloads. Of nodes and endpoints there is too much of no consequence. */
export async function incidentsOf(
  db: string | undefined,
  { start, end }: Pick<EvidenceWindow, 'start' | 'end'>,
  services: HubServices,
  context: RequestContext,
): Promise<Incident[]> {
  const window = { start: start - 60_000, end }
  const { events } = await listEvents(
    { db, kind: 'cluster', ...window, limit: MAX_EVENTS, order: 'oldest' },
    services,
    context,
  )
  return events.flatMap(({ ts, type, name, namespace, reason }) => {
    if (typeof name !== 'string' || !/^(container|rollout)_/.test(type)) return []
    const subject = { name, ...(typeof namespace === 'string' && { ns: namespace }) }
    return { ts, type, subject, ...(typeof reason === 'string' && { reason }) }
  })
}
