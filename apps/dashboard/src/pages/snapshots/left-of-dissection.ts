import type { Dissection } from '../../client/hub.ts'
import { countOf } from '../../format/amount.ts'
import { span } from '../../format/duration.ts'

type Running = Pick<Dissection, 'status' | 'progress' | 'call_count' | 'packet_count' | 'started_at'>

/** Below this share, in percent, the time that is left is a guess. */
const LEAST_PROGRESS = 3

/** What a dissection that is not finished has found so far, and how long it may still take. */
export function leftOfDissection(running: Running, now: number): string {
  const { status, progress, call_count, packet_count, started_at } = running
  if (status === 'pending') return 'It waits for other dissections to end.'
  const found = `${countOf(call_count, 'call')} in ${countOf(packet_count, 'packet')} so far`
  if (started_at === null || progress < LEAST_PROGRESS || progress >= 100) return `${found}.`
  const leftMs = ((now - Date.parse(started_at)) / progress) * (100 - progress)
  return `${found}, about ${span(Math.max(1000, leftMs))} left.`
}
