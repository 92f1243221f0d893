import { Problem, type shapes } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import type { z } from 'zod'
import type { CallSource } from '../query/call-source.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { whyEmpty } from '../query/why-empty.ts'
import type { Handler } from './handler.ts'
import type { Parts } from './parts.ts'

export const listApiCalls: Handler<'list_api_calls'> = async (input, parts) => {
  const { db, start, end, ...query } = input
  const filter = compile(input.kfl, parts.catalog, parts.now())
  if (start !== undefined && end !== undefined && start > end)
    throw new Problem(400, 'invalid_input', 'start lies after end')
  const sources = sourcesOf(db, parts)
  const { calls, missing, ...page } = await mergedCalls(sources, { ...query, start, end })
  const empty = calls.length === 0 && query.cursor === undefined && !page.truncated
  return {
    ...page,
    calls: calls as z.input<typeof shapes.call>[],
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && { indexing: parts.switchboard.indexing }),
    ...(empty && {
      why_empty: await whyEmpty({
        sources,
        filter,
        start,
        end,
        ...(db === undefined && { live: liveState(parts) }),
      }),
    }),
  }
}

export const getApiCall: Handler<'get_api_call'> = async ({ id, db }, parts) => {
  const node = id.slice(0, Math.max(0, id.lastIndexOf('/', id.lastIndexOf('/') - 1)))
  const source = sourcesOf(db, parts).find((one) => one.node === node)
  const answer = await source?.ask('call', { id })
  if (answer?.call) return answer.call as z.input<typeof shapes.call>
  throw new Problem(404, 'unknown_call', `there is no call "${id.slice(0, 100)}"`, {
    hint:
      db === undefined ? 'Live calls make room for newer ones; give the `db` it was found in.' : undefined,
  })
}

/** Where calls are asked for: the nodes of a dissection, or all that are connected. */
export function sourcesOf(db: string | undefined, { dissections, workers }: Parts): CallSource[] {
  return db === undefined ? workers.choose() : dissections.sources(db)
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
