import type { WorkerRequests } from '@tapdeck/api'
import type { Catalog } from '@tapdeck/kfl'
import type { Visibility, VisibleCall } from '../access/visibility.ts'
import type { AskOptions } from '../cluster/worker.ts'
import type { CallSource, Question } from './call-source.ts'

type Input<Name extends Question> = WorkerRequests[Name]['input']
type Output<Name extends Question> = WorkerRequests[Name]['output']
type Ask = <Name extends Question>(question: Name, input: Input<Name>) => Promise<Output<Name>>

interface Narrowing {
  readonly scope: Visibility
  readonly ask: Ask
  narrow(kfl: string, alsoReturned?: string): string
}

/** What becomes of each question. One that is missing here does not compile: nothing is passed on as it is. */
const narrowed: {
  readonly [Name in Question]: (input: Input<Name>, narrowing: Narrowing) => Promise<Output<Name>>
} = {
  async calls(input, { scope, ask, narrow }) {
    const page = await ask('calls', { ...input, kfl: narrow(input.kfl) })
    return { ...page, calls: page.calls.map((call) => ownHandshakes(call, scope)) }
  },
  async call(input, { scope, ask }) {
    const { call } = await ask('call', input)
    const found = call as VisibleCall | null
    return { call: found !== null && scope.sees(found) ? ownHandshakes(call, scope) : null }
  },
  count: (input, { ask, narrow }) => ask('count', { ...input, kfl: narrow(input.kfl) }),
  /** Rates and time buckets follow from the span of the data: of what is seen, not of what else there is. */
  async stats(input, { ask, narrow }) {
    const { start, end, span: given } = input
    // Computed from the answers of several such sources.
    if (given) return ask('stats', { ...input, kfl: narrow(input.kfl) })
    const times = await span(
      { ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
      ask,
      narrow,
    )
    if (times === undefined) return { groups: [] }
    return ask('stats', {
      ...input,
      kfl: narrow(input.kfl),
      start: Math.max(start ?? times.oldest, Math.floor(times.oldest)),
      end: Math.min(end ?? times.newest, Math.ceil(times.newest)),
    })
  },
  values: (input, { ask, narrow }) => ask('values', { ...input, kfl: narrow(input.kfl, input.field) }),
  flows: (input, { scope, ask }) => ask('flows', { ...input, ...within(scope) }),
  async summary(_input, { scope, ask, narrow }) {
    const [{ count }, times, { total }, { groups }] = await Promise.all([
      ask('count', { kfl: narrow('') }),
      span({}, ask, narrow),
      ask('flows', { limit: 1, order: 'bytes', ...within(scope) }),
      ask('stats', { kfl: narrow(''), group_by: 'proto', limit: 1000 }),
    ])
    const protocols = groups as { readonly group: string; readonly calls: number }[]
    return {
      calls: count,
      flows: total,
      oldest_ts: times?.oldest ?? null,
      newest_ts: times?.newest ?? null,
      size_bytes: 0,
      by_protocol: Object.fromEntries(protocols.map(({ group, calls }) => [group, calls])),
    }
  },
}

/** A source that answers only out of what a caller may see, whatever it is asked. */
export function scopedSource(
  source: CallSource,
  scope: Visibility,
  catalog: Catalog,
  now: () => number,
): CallSource {
  return {
    node: source.node,
    isShared: source.isShared ?? false,
    ask<Name extends Question>(
      question: Name,
      input: Input<Name>,
      options?: AskOptions,
    ): Promise<Output<Name>> {
      return narrowed[question](input, {
        scope,
        ask: (inner, asked) => source.ask(inner, asked, options),
        narrow: (kfl, alsoReturned) => scope.narrow(kfl, catalog, now(), alsoReturned),
      })
    },
  }
}

function within({ namespaces }: Visibility): { within?: readonly string[] } {
  return namespaces === undefined ? {} : { within: namespaces }
}

/** The times of the oldest and the newest call that is seen. */
async function span(window: { start?: number; end?: number }, ask: Ask, narrow: (kfl: string) => string) {
  const one = async (order: 'oldest' | 'newest') => {
    const { calls } = await ask('calls', { kfl: narrow(''), limit: 1, order, format: 'compact', ...window })
    return (calls[0] as { readonly ts: number } | undefined)?.ts
  }
  const [oldest, newest] = await Promise.all([one('oldest'), one('newest')])
  return oldest === undefined || newest === undefined ? undefined : { oldest, newest }
}

/** The handshakes of a destination outside are of others too: they are left out. */
function ownHandshakes(call: unknown, scope: Visibility): unknown {
  if (typeof call !== 'object' || call === null || scope.holds((call as VisibleCall).dst?.ns)) return call
  return Object.fromEntries(Object.entries(call).filter(([name]) => !name.startsWith('tcp_handshake')))
}
