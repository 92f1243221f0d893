import type { CallRecord } from '@tapdeck/dissect'
import { type Catalog, compile } from '@tapdeck/kfl'
import type {
  CallIndex,
  CallPage,
  CallQuery,
  FlowPage,
  FlowQuery,
  FlowRow,
  IndexSummary,
  ObservedValue,
  StatsGroup,
  StatsPage,
  StatsQuery,
  TimeWindow,
} from './call-index.ts'
import { ownedFilter } from './owned-filter.ts'
import type { Ownership } from './ownership.ts'

/** Questions about calls and flows can be limited to those that this node reports. */
interface Owned {
  readonly owners?: Ownership
}

interface Question<Input, Output> {
  readonly input: Input
  readonly output: Output
}

/** What can be asked of an index from afar: filters are text, answers are plain data. */
export interface Questions {
  calls: Question<
    Owned & Omit<CallQuery, 'filter'> & { readonly kfl: string; readonly format: 'compact' | 'full' | 'raw' },
    Omit<CallPage, 'calls' | 'cursors'> & { calls: unknown[]; cursors: string[] }
  >
  call: Question<{ readonly id: string }, { call: unknown }>
  count: Question<
    Owned &
      TimeWindow & {
        readonly kfl: string
        /** Only calls that other nodes may report as well; needs `owners`. */
        readonly undecided?: true
      },
    { count: number; undecided?: true }
  >
  stats: Question<
    Owned & Omit<StatsQuery, 'filter'> & { readonly kfl: string },
    Omit<StatsPage, 'groups'> & { groups: StatsGroup[]; approximate?: true }
  >
  values: Question<
    Owned &
      TimeWindow & {
        readonly field: string
        readonly key?: string
        readonly prefix: string
        readonly kfl: string
        readonly limit: number
        readonly at_least?: number
        readonly only?: readonly string[]
      },
    { values: ObservedValue[]; approximate?: true }
  >
  flows: Question<
    FlowQuery,
    Omit<FlowPage, 'flows'> & { flows: FlowRow[]; total_is?: 'at_most'; approximate?: true }
  >
  summary: Question<Record<string, never>, IndexSummary & { by_protocol: Record<string, number> }>
}

export type QuestionName = keyof Questions

type Answering = {
  [Name in QuestionName]: (
    index: CallIndex,
    input: Questions[Name]['input'],
    read: (kfl: string) => ReturnType<typeof compile>,
    catalog: Catalog,
  ) => Promise<Questions[Name]['output']>
}

const answering: Answering = {
  async calls(index, { kfl, format, ...query }, read) {
    const flows = format !== 'compact'
    const { calls, cursors, ...page } = await index.calls({ ...query, filter: read(kfl), flows })
    return { ...page, calls: calls.map((call) => shown(call, format)), cursors: [...cursors] }
  },
  async call(index, { id }) {
    return { call: (await index.call(id))?.toJSON() ?? null }
  },
  async count(index, { kfl, undecided, ...window }, read) {
    // Repeated in the answer: a worker of an earlier version counts all calls.
    return { count: await index.count(read(kfl), window), ...(undecided && { undecided }) }
  },
  async stats(index, { kfl, ...query }, read) {
    const { groups, ...page } = await index.stats({ ...query, filter: read(kfl) })
    return { ...page, groups: [...groups] }
  },
  async values(index, { kfl, field: name, ...query }, read, catalog) {
    const field = catalog.find(name)
    if (field === undefined) return { values: [] }
    return { values: [...(await index.values({ ...query, field, filter: read(kfl) }))] }
  },
  async flows(index, query) {
    const { flows, ...page } = await index.flows(query)
    return { ...page, flows: [...flows] }
  },
  async summary(index) {
    const summary = await index.summary()
    return { ...summary, by_protocol: { ...summary.by_protocol } }
  },
}

export function isQuestion(name: string): name is QuestionName {
  return Object.hasOwn(answering, name)
}

/** Answers a question about one index. `now` (Unix milliseconds) is what the filter's `now()` means. */
export function answerQuestion<Name extends QuestionName>(
  index: CallIndex,
  catalog: Catalog,
  now: number,
  name: Name,
  input: Questions[Name]['input'],
): Promise<Questions[Name]['output']> {
  const { owners, undecided } = input as Owned & { readonly undecided?: true }
  const read = (kfl: string) => {
    const filter = compile(kfl, catalog, now)
    return owners ? ownedFilter(filter, owners, catalog, undecided) : filter
  }
  return answering[name](index, input, read, catalog)
}

function shown(call: CallRecord, format: 'compact' | 'full' | 'raw'): unknown {
  if (format === 'compact') return call.compact()
  const full = call.toJSON()
  return format === 'full' ? full : { ...full, worker: call.node_id }
}
