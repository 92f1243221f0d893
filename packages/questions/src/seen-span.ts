import type { Narrowing } from './question.ts'
import type { TimeWindow } from './terms.ts'

/** The times of the oldest and the newest call that is seen. */
export async function seenSpan({ ask, filter }: Narrowing, window: TimeWindow) {
  const one = async (order: 'oldest' | 'newest') => {
    const { calls } = await ask('calls', { kfl: filter(''), limit: 1, order, format: 'compact', ...window })
    return (calls[0] as { readonly ts: number } | undefined)?.ts
  }
  const [oldest, newest] = await Promise.all([one('oldest'), one('newest')])
  return oldest === undefined || newest === undefined ? undefined : { oldest, newest }
}
