import { type OperationOutput, Problem, type shapes } from '@tapdeck/api'
import { textLiteral } from '@tapdeck/kfl'
import type { z } from 'zod'
import type { CallSource } from '../query/call-source.ts'
import { allOf } from '../query/group-filter.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { answerNotes } from './answer-notes.ts'
import { callMoments } from './call-moments.ts'
import { findCall, sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { type Trace, traceOf } from './trace-of.ts'

type Call = z.input<typeof shapes.call>
type Output = OperationOutput<'explain_call'>
type Related = Output['caused'][number]

/** Lookups of the client that can have to do with the call. Milliseconds. */
const LOOKUPS_BEFORE = 5000
const MAX_LOOKUPS = 5
/** A resolver gives up after some tries of five seconds each. Milliseconds. */
const TRIES_AROUND = 30_000
const MAX_TRIES = 20
const MAX_RELATED = 20
/** Calls of one trace are looked for this long before and after. Milliseconds. */
const TRACE_AROUND = 30_000

export const explainCall: Handler<'explain_call'> = async ({ id, db }, services, context) => {
  const call = await findCall({ id, db, start: undefined, end: undefined }, services, context)
  const sources = sourcesOf(db, services, context.caller)
  const end = call.ts + (call.latency_ms ?? 0)
  const trace = traceOf(call)
  const flow = call.conn_id
  const [previous, lookups, handshakes, traced] = await Promise.all([
    flow === undefined
      ? []
      : search(sources, `conn_id == ${Number(flow)}`, { end: call.ts - 0.001, limit: 1 }),
    search(sources, `proto == "dns" and src.ip == ${textLiteral(call.src.ip)}`, {
      start: call.ts - LOOKUPS_BEFORE,
      end: call.ts,
      limit: MAX_LOOKUPS,
    }),
    flow === undefined || call.proto === 'tls'
      ? []
      : search(sources, `proto == "tls" and conn_id == ${Number(flow)}`, { end: call.ts, limit: 1 }),
    trace ? ofTrace(sources, trace, call) : undefined,
  ])
  const tries = call.proto === 'dns' ? await otherTries(sources, call) : []
  const caused = traced?.caused ?? (await inferredCaused(sources, call, end))
  const causedBy = traced?.causedBy ?? (await inferredCause(sources, call, end))
  const [last] = previous
  const idle = last && Math.max(0, round(call.ts - last.ts - (last.latency_ms ?? 0)))
  const timeline = callMoments({
    call,
    lookups: lookups.filter((one) => one.id !== call.id && !tries.some(({ id }) => id === one.id)),
    tries,
    handshake: handshakes[0],
    previous: last,
    caused,
  })
  return {
    id: call.id,
    ...(call.decrypted && { decrypted: true }),
    summary: summaryOf(call, caused, idle),
    timeline,
    connection: {
      ...((typeof flow === 'number' || typeof flow === 'string') && { conn_id: flow }),
      ...(idle !== undefined && last && { idle_before_ms: idle, previous_call: last.id }),
      ...(isRecord(call.tcp) && { tcp: call.tcp }),
      ...(isRecord(call.flow) && typeof call.flow.state === 'string' && { state: call.flow.state }),
    },
    ...(causedBy && { caused_by: causedBy }),
    caused,
    ...(traced && trace && { same_trace: trace.value }),
    ...(call.both_ends !== undefined && { both_ends: call.both_ends }),
    notes: notesOf(call, traced !== undefined),
    ...answerNotes(db, services, context.caller, { start: call.ts, end }),
  }
}

interface Bounds {
  readonly start?: number
  readonly end?: number
  readonly limit: number
}

async function search(
  sources: readonly CallSource[],
  kfl: string,
  { limit, start, end }: Bounds,
): Promise<Call[]> {
  const query = { kfl, limit, order: 'newest', format: 'compact', start, end } as const
  return (await mergedCalls(sources, query)).calls as unknown as Call[]
}

/** Calls with the same trace id. Undefined where the caller may not filter by headers, or nothing else has the id. */
async function ofTrace(sources: readonly CallSource[], { header, value }: Trace, call: Call) {
  const kfl = `request.headers[${textLiteral(header)}] contains ${textLiteral(value)}`
  const around = { start: call.ts - TRACE_AROUND, end: call.ts + TRACE_AROUND, limit: 2 * MAX_RELATED }
  try {
    const others = (await search(sources, kfl, around)).filter(({ id }) => id !== call.id)
    if (others.length === 0) return undefined
    const causedBy = others.filter((one) => isSame(one.dst, call.src) && one.ts <= call.ts).at(0)
    const caused = others.filter((one) => isSame(one.src, call.dst) && one.ts >= call.ts)
    return {
      caused: caused
        .slice(0, MAX_RELATED)
        .reverse()
        .map((one) => related(one, call)),
      causedBy: causedBy && related(causedBy, call),
    }
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return undefined
    throw error
  }
}

/** The same question of the same client at about that time: resolvers send it again when no answer comes. */
async function otherTries(sources: readonly CallSource[], call: Call): Promise<Call[]> {
  const { src, method, path, ts } = call
  if (path === undefined || method === undefined) return []
  const kfl = `proto == "dns" and src.ip == ${textLiteral(src.ip)} and path == ${textLiteral(path)} and method == ${textLiteral(method)}`
  const around = { start: ts - TRIES_AROUND, end: ts + TRIES_AROUND, limit: MAX_TRIES }
  const same = (await search(sources, kfl, around)).reverse()
  const at = same.findIndex(({ id }) => id === call.id)
  // An answered question ends a row of tries.
  const isSilent = (one: Call | undefined) => one !== undefined && one.latency_ms === undefined
  let first = at
  while (first > 0 && isSilent(same[first - 1])) first--
  let last = at
  while (last >= 0 && last < same.length - 1 && isSilent(same[last])) last++
  return same.slice(Math.max(first, 0), last + 1).filter(({ id }) => id !== call.id)
}

/** What the server called between request and response. */
async function inferredCaused(sources: readonly CallSource[], call: Call, end: number): Promise<Related[]> {
  const server = endFilter('src', call.dst, call.src)
  if (server === undefined || call.latency_ms === undefined) return []
  const found = await search(sources, allOf(server, 'proto != "dns"'), {
    start: call.ts,
    end,
    limit: MAX_RELATED,
  })
  return found
    .filter((one) => one.id !== call.id && one.ts + (one.latency_ms ?? 0) <= end)
    .reverse()
    .map((one) => ({ ...related(one, call), inferred: true as const }))
}

/** The shortest call to the client that was open during all of this one. */
async function inferredCause(
  sources: readonly CallSource[],
  call: Call,
  end: number,
): Promise<Related | undefined> {
  const client = endFilter('dst', call.src, call.dst)
  if (client === undefined) return undefined
  const found = await search(sources, client, { end: call.ts, limit: MAX_RELATED })
  const open = found.filter(
    (one) => one.id !== call.id && one.latency_ms !== undefined && one.ts + one.latency_ms >= end,
  )
  const nearest = open.toSorted((a, b) => (a.latency_ms ?? 0) - (b.latency_ms ?? 0))[0]
  return nearest && { ...related(nearest, call), inferred: true }
}

type End = Call['src']

/** Undefined where both ends have the same name and address. */
function endFilter(side: 'src' | 'dst', end: End, other: End): string | undefined {
  if (end.pod !== undefined)
    return `${side}.pod == ${textLiteral(end.pod)}${end.ns === undefined ? '' : ` and ${side}.ns == ${textLiteral(end.ns)}`}`
  return end.ip === other.ip ? undefined : `${side}.ip == ${textLiteral(end.ip)}`
}

function isSame(a: End, b: End): boolean {
  return a.pod !== undefined || b.pod !== undefined ? a.pod === b.pod && a.ns === b.ns : a.ip === b.ip
}

function related(other: Call, call: Call): Related {
  const { id, ts, src, dst, latency_ms, error } = other
  return {
    id,
    at: new Date(ts).toISOString(),
    offset_ms: round(ts - call.ts),
    what: titleOf(other),
    src: nameOf(src),
    dst: nameOf(dst),
    ...(latency_ms !== undefined && { latency_ms }),
    ...(error !== undefined && { error }),
    ...(call.decrypted && { decrypted: true }),
  }
}

function titleOf({ proto, method, path, status }: Call): string {
  return [proto, method, path?.slice(0, 200), status].filter((part) => part !== undefined).join(' ')
}

function nameOf({ svc, pod, ip, port }: End): string {
  return pod ?? svc ?? `${ip}:${port}`
}

function summaryOf(call: Call, caused: readonly Related[], idle: number | undefined): string {
  const { latency_ms, error, src, dst } = call
  const parts = [`${titleOf(call)} from ${nameOf(src)} to ${nameOf(dst)}`]
  parts.push(latency_ms === undefined ? withoutResponse(call) : `took ${round(latency_ms)} ms`)
  if (error !== undefined) parts.push(`failed with "${error}"`)
  const longest = caused.toSorted((a, b) => (b.latency_ms ?? 0) - (a.latency_ms ?? 0))[0]
  if (longest?.latency_ms !== undefined && latency_ms !== undefined && longest.latency_ms > latency_ms / 2)
    parts.push(
      `most of it spent in ${longest.what} to ${longest.dst} (${round(longest.latency_ms)} ms${longest.inferred ? ', inferred' : ''})`,
    )
  if (idle !== undefined && error !== undefined) parts.push(`its connection had been idle for ${idle} ms`)
  return `${parts.join('; ')}.`
}

function withoutResponse({ connection_end, src, dst }: Call): string {
  if (connection_end === undefined) return 'has no response'
  const who = nameOf(connection_end.endsWith('client') ? src : dst)
  return `has no response: ${who} ${connection_end.startsWith('reset') ? 'reset' : 'closed'} the connection`
}

function notesOf(call: Call, isTraced: boolean): string[] {
  return [
    ...(isTraced
      ? []
      : [
          'Caused and causing calls are inferred from times and addresses: no trace id relates this call to others.',
        ]),
    ...(call.src.ip === call.dst.ip && call.src.pod === undefined
      ? ['Both ends have the same address: related calls cannot be found by it.']
      : []),
    'TCP counters are of the whole connection; zero windows (to the millisecond), FIN and RST are the first of each end. export_snapshot_pcap has the packets.',
  ]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
