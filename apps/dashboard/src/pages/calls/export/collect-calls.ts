import type { CompactCall } from '../../../client/call-details.ts'
import type { CallPage, CallPageQuery } from '../../../client/hub.ts'

export interface CollectedCalls<Call> {
  readonly calls: readonly Call[]
  /** There are more calls than were collected. */
  readonly isCut: boolean
}

export interface CollectOptions {
  readonly maxCalls: number
  /** Of the calls as JSON. */
  readonly maxChars: number
  fetchPage(query: CallPageQuery): Promise<Pick<CallPage, 'calls' | 'next_cursor'>>
}

const PAGE_CALLS = 500

/** All calls that match, newest first, page by page until a limit is reached. */
export async function collectCalls<Call extends CompactCall>(
  query: Omit<CallPageQuery, 'limit' | 'cursor'>,
  { maxCalls, maxChars, fetchPage }: CollectOptions,
): Promise<CollectedCalls<Call>> {
  const calls: Call[] = []
  let chars = 0
  let cursor: string | undefined
  for (;;) {
    const limit = Math.min(PAGE_CALLS, maxCalls - calls.length)
    const page = await fetchPage({ ...query, limit, cursor })
    for (const call of page.calls as unknown as readonly Call[]) {
      chars += JSON.stringify(call).length
      if (chars > maxChars) return { calls, isCut: true }
      calls.push(call)
    }
    if (page.next_cursor === null) return { calls, isCut: false }
    if (calls.length >= maxCalls) return { calls, isCut: true }
    cursor = page.next_cursor
  }
}
