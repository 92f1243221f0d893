import { Problem } from '@tapdeck/api'
import { type CallSource, sourceOfNode } from '../query/call-source.ts'
import { type MergedCalls, mergedCalls } from '../query/merged-calls.ts'
import { Conversations } from './conversations.ts'

const PAGE = 1000
/** Calls whose conversations are looked for; for more, export the whole snapshot. */
const MAX_CALLS = 200_000
/** Before and after a call, so that what opened the connection and what acknowledged the answer are there too. */
export const MARGIN_US = 1_000_000

interface SeenCall {
  readonly id: string
  readonly ts: number
  readonly proto: string
  readonly latency_ms?: number
  readonly src: { readonly ip: string; readonly port: number }
  readonly dst: { readonly ip: string; readonly port: number }
}

/** The conversations of all calls that match, each from its first such call to its last. */
export async function matchingConversations(
  sources: readonly CallSource[],
  kfl: string,
  window: { readonly start?: number | undefined; readonly end?: number | undefined },
): Promise<Conversations> {
  const found = new Conversations()
  let cursor: string | null = null
  for (let seen = 0; ; ) {
    const page: MergedCalls = await mergedCalls(sources, {
      kfl,
      limit: PAGE,
      order: 'oldest',
      format: 'compact',
      ...window,
      ...(cursor !== null && { cursor }),
    })
    for (const call of page.calls as readonly SeenCall[]) {
      const start = call.ts * 1000
      const end = start + (call.latency_ms ?? 0) * 1000
      add(found, call, start - MARGIN_US, end + MARGIN_US)
    }
    seen += page.calls.length
    if (seen > MAX_CALLS)
      throw new Problem(400, 'too_many_calls', `The filter matches more than ${MAX_CALLS} calls`, {
        hint: 'Narrow the filter, or pass start_time and end_time.',
      })
    cursor = page.next_cursor
    if (cursor === null) return found
  }
}

/** The conversation of one call, from its beginning to its end. Throws 404 where there is no such call. */
export async function callConversation(sources: readonly CallSource[], id: string): Promise<Conversations> {
  const node = nodeOf(id)
  const answer = await sourceOfNode(sources, node)?.ask('call', { id })
  if (!answer?.call) throw new Problem(404, 'unknown_call', `No call with id "${id.slice(0, 100)}"`)
  const found = new Conversations()
  add(found, answer.call as SeenCall, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  return found
}

function add(found: Conversations, call: SeenCall, from: number, until: number): void {
  const { node, src, dst } = conversationOf(call)
  found.add(node, src, dst, from, until)
}

/** Whose packets a call is in, and the node that captured them. */
export function conversationOf({ id, proto, src, dst }: Pick<SeenCall, 'id' | 'proto' | 'src' | 'dst'>) {
  const port = (given: number) => (proto === 'icmp' ? 0 : given)
  return {
    node: nodeOf(id),
    src: { ip: src.ip, port: port(src.port) },
    dst: { ip: dst.ip, port: port(dst.port) },
  }
}

/** `<node>/<flow>/<ordinal>` */
function nodeOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('/', id.lastIndexOf('/') - 1)))
}
