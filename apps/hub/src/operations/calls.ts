import { Problem, type shapes } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import type { CallSource } from '../query/call-source.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { whyEmpty } from '../query/why-empty.ts'
import { callEvents } from './call-events.ts'
import { callTimeline } from './call-timeline.ts'
import { demandWindow } from './demand-window.ts'
import type { Handler } from './handler.ts'
import { liveNotes } from './live-notes.ts'
import type { Asked, Parts } from './parts.ts'
import { RECORDING, rewindCall, rewindCalls } from './rewind.ts'
import { shownTo } from './shown-to.ts'

export const listApiCalls: Handler<'list_api_calls'> = async (input, parts, asked) => {
  const { db, start, end, ...query } = input
  const filter = compile(input.kfl, parts.catalog, parts.now())
  demandWindow(input)
  if (db === RECORDING) return listed(await rewindCalls(input, filter, parts, asked), query.format)
  const sources = sourcesOf(db, parts, asked.caller)
  const { calls, missing, ...page } = await mergedCalls(sources, { ...query, db, start, end })
  const empty = calls.length === 0 && query.cursor === undefined && !page.truncated
  const answer: CallPage = {
    ...page,
    calls: calls as Call[],
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && liveNotes(parts, asked.caller, input)),
    ...(empty && {
      why_empty: await whyEmpty({
        sources,
        filter,
        start,
        end,
        ...(db === undefined ? { live: liveState(parts) } : dissected(db, parts, asked.caller)),
      }),
    }),
  }
  return listed(answer, query.format)
}

type Call = z.input<typeof shapes.call>
type CallPage = z.input<typeof shapes.callPage>

/** A list in the compact form tells who talked to whom; processes and labels are in the full one. */
function listed(page: CallPage, format: 'compact' | 'full' | 'raw'): CallPage {
  if (format !== 'compact') return page
  return {
    ...page,
    calls: page.calls.map((call) => ({ ...call, src: named(call.src), dst: named(call.dst) })),
  }
}

function named({ ip, port, pod, ns, svc, node }: Call['src']): Call['src'] {
  return {
    ip,
    port,
    ...(pod !== undefined && { pod }),
    ...(ns !== undefined && { ns }),
    ...(svc !== undefined && { svc }),
    ...(node !== undefined && { node }),
  }
}

export const getApiCall: Handler<'get_api_call'> = async (input, parts, asked) => {
  const { caller } = asked
  const { id, db } = input
  const node = id.slice(0, Math.max(0, id.lastIndexOf('/', id.lastIndexOf('/') - 1)))
  if (db === RECORDING) return withEvents(await rewindCall(input, node, parts, asked), input, parts, asked)
  const source = sourcesOf(db, parts, caller).find((one) => one.node === node)
  const answer = await source?.ask('call', { id })
  if (answer?.call) return withEvents(answer.call as Call, input, parts, asked)
  throw new Problem(404, 'unknown_call', `there is no call "${id.slice(0, 100)}"`, {
    hint:
      db === undefined ? 'Live calls make room for newer ones; give the `db` it was found in.' : undefined,
  })
}

async function withEvents(
  call: Call,
  { db }: { readonly db?: string | undefined },
  parts: Parts,
  asked: Asked,
): Promise<Call> {
  const events = await callEvents(call, db, parts, asked)
  return { ...call, timeline: callTimeline(call, events), ...(events.length > 0 && { events }) }
}

/**
 * Where calls and flows are asked for: the nodes of a dissection, or all that are connected. What comes out is only
 * what the caller may see, so this is the one way to them.
 */
export function sourcesOf(db: string | undefined, parts: Parts, caller: Caller): CallSource[] {
  return shownTo(caller, db === undefined ? parts.workers.choose() : parts.dissections.sources(db), parts)
}

/** What alone was dissected; whoever sees only some namespaces is not told of names in others. */
function dissected(db: string, { dissections }: Parts, caller: Caller) {
  if (scopeOf(caller)) return {}
  const [snapshot = '', name = ''] = db.split('/')
  const { kfl, protocols } = dissections.get(snapshot, name)
  return { only: { kfl, protocols } }
}

function liveState({ switchboard, workers, now }: Parts) {
  const captures = workers.connected.map(({ report }) => report.capture)
  const { enabled, since = '' } = switchboard.indexing
  return {
    enabled,
    since,
    now: now(),
    ...(captures.every(({ active }) => !active) && {
      notCapturing: captures.map(({ reason }) => reason ?? 'capture is off').join('; '),
    }),
  }
}
