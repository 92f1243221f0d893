import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationOutput, OperationRequest } from '@tapdeck/api'
import type { HubClient } from './hub-client.ts'

type Event = OperationOutput<'list_events'>['events'][number]

const POLL_MS = 1000
/** Nodes report an event up to this long after it happened. */
const LATE_MS = 10_000
const PAGE = 1000

/** Events of each poll that were not returned before, oldest first, until `signal` is aborted. */
export async function* followEvents(
  hub: HubClient,
  query: Omit<OperationRequest<'list_events'>, 'start' | 'end' | 'order' | 'cursor' | 'limit'>,
  from: number,
  signal: AbortSignal,
  pollMs = POLL_MS,
): AsyncGenerator<readonly Event[]> {
  let newest = from
  let seen = new Map<string, number>()
  while (!signal.aborted) {
    const start = Math.max(from, newest - LATE_MS)
    let cursor: string | undefined
    do {
      const page = await hub.call('list_events', { ...query, start, order: 'oldest', limit: PAGE, cursor })
      const fresh = page.events.filter((event) => {
        const key = JSON.stringify(event)
        if (seen.has(key)) return false
        seen.set(key, event.ts)
        return true
      })
      for (const { ts } of fresh) newest = Math.max(newest, ts)
      if (fresh.length > 0) yield fresh
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined && !signal.aborted)
    seen = new Map([...seen].filter(([, ts]) => ts >= newest - LATE_MS))
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
  }
}
