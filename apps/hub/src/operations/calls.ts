import { type OperationInput, Problem, type shapes } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { type CallSource, sourceOfNode } from '../query/call-source.ts'
import { keptFilter } from '../query/kept-filters.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { ownedSources } from '../query/owned-source.ts'
import { whyEmpty } from '../query/why-empty.ts'
import { answerNotes, certaintyOf, gapsOf } from './answer-notes.ts'
import { bothEnds } from './both-ends.ts'
import { callEvents } from './call-events.ts'
import { chosenCallFields, needsFullCalls, withBodiesFrom } from './call-fields.ts'
import { callTimeline } from './call-timeline.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'
import { requireValidWindow } from './require-valid-window.ts'
import { RECORDING, rewindCall, rewindCalls } from './rewind.ts'
import { shownTo } from './shown-to.ts'
import { undecidedOwnership } from './undecided-ownership.ts'

export const listApiCalls: Handler<'list_api_calls'> = async (given, services, context) => {
  const { fields, ...rest } = given
  const format = given.format === 'compact' && needsFullCalls(fields) ? 'full' : given.format
  const page = await searchCalls({ ...rest, format }, services, context)
  return { ...page, calls: chosenCallFields(page.calls, fields, services.catalog) }
}

async function searchCalls(
  input: Omit<OperationInput<'list_api_calls'>, 'fields'>,
  services: HubServices,
  context: RequestContext,
): Promise<CallPage> {
  const { db, start, end, ...query } = input
  const filter = compile(input.kfl, services.catalog, services.now())
  requireValidWindow(input)
  if (db === RECORDING) return listed(await rewindCalls(input, filter, services, context), query.format)
  const sources = sourcesOf(db, services, context.caller)
  const { calls, missing, ...page } = await mergedCalls(sources, { ...query, db, start, end })
  const empty = calls.length === 0 && query.cursor === undefined && !page.truncated
  const notes = {
    ...answerNotes(db, services, context.caller, input, missing),
    ...(query.cursor === undefined && (await undecidedOwnership(sources, input))),
  }
  const answer: CallPage = {
    ...page,
    calls: calls as Call[],
    total_is: certaintyOf(page.total_is, notes),
    ...notes,
    ...(empty && {
      why_empty: await whyEmpty({
        sources,
        filter,
        start,
        end,
        gaps: gapsOf(db, services, input),
        now: services.now(),
        ...(db === undefined ? { live: liveState(services) } : dissected(db, services, context.caller)),
      }),
    }),
  }
  return listed(answer, query.format)
}

type Call = z.input<typeof shapes.call>
type CallPage = z.input<typeof shapes.callPage>

/** A list in the compact form says who talked to whom; processes and labels are in the full one. */
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

export const getApiCall: Handler<'get_api_call'> = async (input, services, context) => {
  const call = withBodiesFrom(await findCall(input, services, context), input.body_offset)
  const [chosen = call] = chosenCallFields([call], input.fields, services.catalog)
  return chosen
}

/** One call with all that is known of it. Throws 404. */
export async function findCall(
  input: Pick<OperationInput<'get_api_call'>, 'id' | 'db' | 'start' | 'end'>,
  services: HubServices,
  context: RequestContext,
): Promise<Call> {
  const { caller } = context
  const { id, db } = input
  const node = id.slice(0, Math.max(0, id.lastIndexOf('/', id.lastIndexOf('/') - 1)))
  if (db === RECORDING)
    return withEvents(await rewindCall(input, node, services, context), input, services, context)
  const source = sourceOfNode(sourcesOf(db, services, caller), node)
  const answer = await source?.ask('call', { id })
  if (answer?.call) {
    const call = answer.call as Call
    const both_ends = await bothEnds(call, shownTo(caller, allSources(db, services), services))
    return withEvents(both_ends ? { ...call, both_ends } : call, input, services, context)
  }
  throw new Problem(404, 'unknown_call', `No call with id "${id.slice(0, 100)}"`, {
    hint:
      db === undefined
        ? 'The live index drops old calls; pass the `db` that the call was found in.'
        : undefined,
  })
}

async function withEvents(
  call: Call,
  { db }: { readonly db?: string | undefined },
  services: HubServices,
  context: RequestContext,
): Promise<Call> {
  const events = await callEvents(call, db, services, context)
  return { ...call, timeline: callTimeline(call, events), ...(events.length > 0 && { events }) }
}

/**
 * Where calls and flows are asked for: the nodes of a dissection, all that are connected, or the index that they share.
 * What comes out is only what the caller may see, so this is the one way to them.
 */
export function sourcesOf(db: string | undefined, services: HubServices, caller: Caller): CallSource[] {
  const shared = db === undefined ? services.sharedIndex : undefined
  // All parts of a dissection were named with the same inventory.
  const isSettled = (nodes: readonly string[]) => db !== undefined || services.directory.isSettled(nodes)
  const sources = shared
    ? [shared.source(gapsOf(db, services, {}), isSettled)]
    : ownedSources(allSources(db, services), gapsOf(db, services, {}), isSettled)
  return shownTo(caller, sources, services)
}

/** Every view of an exchange: of the node of its client, and of that of its server. */
function allSources(db: string | undefined, services: HubServices): readonly CallSource[] {
  if (db !== undefined) return services.dissections.sources(db)
  return services.sharedIndex ? [services.sharedIndex.views] : services.workers.choose()
}

/** What alone was dissected, where that was not everything. */
function dissected(db: string, services: HubServices, caller: Caller) {
  const [snapshot = '', name = ''] = db.split('/')
  const { kfl, protocols } = services.dissections.get(snapshot, name)
  if (kfl.trim() === '' && protocols === undefined) return {}
  return {
    only: { ...(protocols && { protocols }), ...(kfl.trim() !== '' && keptFilter(kfl, caller, services)) },
  }
}

function liveState({ switchboard, workers, now }: HubServices) {
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
