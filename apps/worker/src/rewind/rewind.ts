import type { WorkerRequests } from '@tapdeck/api'
import { type CallRecord, protocols } from '@tapdeck/dissect'
import { createResolver, type Inventory, parseInventory } from '@tapdeck/inventory'
import { compile, createCatalog, type Filter } from '@tapdeck/kfl'
import { OpenPartIndex, Owners, type RecordedEvent } from '@tapdeck/recording'
import { createRedactor } from '@tapdeck/redact'
import { type Bench, dissectWindow } from './dissect-window.ts'
import { findCall } from './find-call.ts'
import { HeldParts } from './held-parts.ts'
import {
  comparePlaces,
  fromCursor,
  type Place,
  queryText,
  type RewindCursor,
  toCursor,
} from './rewind-cursor.ts'
import type { Held, RewindStart } from './rewind-message.ts'
import { Shortlist } from './shortlist.ts'
import { type Slice, SlicePlan } from './slice-plan.ts'
import { Spending } from './spending.ts'
import { wantedParties } from './wanted-parties.ts'

type Query = WorkerRequests['rewind']['input']
type Page = WorkerRequests['rewind']['output']

const MIB = 1 << 20
/**
 * The first slice is small, so that an answer is there soon; each next one is twice as large. Where only packets of some
 * are dissected, `named`, much can be read at once.
 */
const SLICES = { first: 16 * MIB, named: 128 * MIB, largest: 256 * MIB }

/** What all slices of one answer share. */
interface Search {
  readonly query: Query
  readonly filter: Filter
  readonly held: HeldParts
  readonly parties: readonly (readonly number[])[]
  readonly spending: Spending
  readonly window: { readonly from: number; readonly to: number }
}

/** Calls straight out of the recording: dissected when they are asked for, only where they can be, the nearest first. */
export class Rewind {
  readonly #start: RewindStart
  readonly #now: () => number
  readonly #slices: typeof SLICES
  readonly #catalog = createCatalog(protocols)
  #inventory: Inventory = { pods: [], services: [] }
  readonly #owners = new Owners()
  readonly #open = new OpenPartIndex()
  #bench: Bench

  /** `now`: milliseconds that never jump, for the budget. */
  constructor(start: RewindStart, now: () => number, slices = SLICES) {
    this.#start = start
    this.#slices = slices
    this.#now = now
    const { node, nodeIp, bodyBytes } = start
    const resolver = createResolver(this.#inventory)
    this.#bench = {
      node,
      nodeIp,
      bodyBytes,
      redactor: createRedactor(start.redaction),
      resolver,
      owners: this.#owners,
    }
  }

  setInventory(value: unknown): void {
    this.#inventory = parseInventory(value)
    this.#bench = { ...this.#bench, resolver: createResolver(this.#inventory) }
  }

  learnOwners(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#owners.learn(event)
  }

  async calls(given: Held, query: Query): Promise<Page> {
    const filter = compile(query.kfl, this.#catalog, Date.now())
    const same = queryText(query)
    const cursor = query.cursor === undefined ? undefined : fromCursor(query.cursor, same)
    const window = cursor ?? { from: Math.floor(query.start * 1000), to: Math.floor(query.end * 1000) + 1 }
    const bounds = { from: window.from, to: window.to }
    const wanted = wantedParties(filter, this.#inventory)
    const held = new HeldParts(given, this.#open)
    const spending = new Spending(this.#budget(query), this.#now)
    const search: Search = { query, filter, held, parties: wanted ?? [], spending, window }
    const newest = query.order === 'newest'
    const first = wanted?.length ? this.#slices.named : this.#slices.first
    const { edge } = given
    const from = newest ? Math.max(window.from, edge ?? window.from) : window.from
    const to = newest ? window.to : Math.min(window.to, edge ?? window.to)
    const plan = new SlicePlan(wanted ? held.stretches(wanted) : [], from, to)
    const found: { call: unknown; cursor: RewindCursor }[] = []
    let at = cursor?.at ?? (newest ? window.to : window.from)
    const begun = at
    let next: RewindCursor | undefined
    /** Up to where all calls were looked at. */
    let reached = at
    let slice = cursor?.slice ?? this.#next(plan, at, first, newest)
    let after = cursor?.after
    let more = 0
    for (let size = first; slice !== undefined; ) {
      const list = spending.allows(slice.bytes)
        ? await this.#search(search, slice, after, query.limit - found.length)
        : undefined
      if (list === undefined) {
        next = { ...bounds, at, ...(after && { slice, after }) }
        break
      }
      const given = list.take()
      for (const { place, kept } of given)
        found.push({ call: shown(kept, query.format), cursor: { ...bounds, at, slice, after: place } })
      more = list.offered - given.length
      reached = newest ? slice.from : slice.to
      if (more > 0) {
        next = found.at(-1)!.cursor
        break
      }
      at = reached
      after = undefined
      size = Math.min(2 * size, this.#slices.largest)
      slice = this.#next(plan, at, size, newest)
      if (found.length >= query.limit && slice !== undefined) {
        next = { ...bounds, at }
        break
      }
    }
    if (next === undefined) {
      at = newest ? from : to
      reached = at
      if (newest ? at > window.from : at < window.to) next = { ...bounds, at }
    }
    return {
      calls: found.map(({ call }) => call),
      cursors: found.map((one) => toCursor(one.cursor, same)),
      total: found.length + more,
      total_is: next === undefined && cursor === undefined ? 'exact' : 'at_least',
      ...(next && { next_cursor: toCursor(next, same) }),
      spent: next !== undefined && more === 0 && found.length < query.limit,
      rewind: {
        ...spending.report,
        window_bytes: held.bytes(window.from, window.to),
        read_bytes: spending.report.read_bytes + held.indexedBytes,
        searched_from: Math.floor(Math.min(begun, reached) / 1000),
        searched_to: Math.floor((Math.max(begun, reached) - 1) / 1000),
        restricted: wanted === undefined || wanted.length > 0,
      },
    }
  }

  async call(
    given: Held,
    query: WorkerRequests['rewind_call']['input'],
  ): Promise<WorkerRequests['rewind_call']['output']> {
    const spending = new Spending(this.#start.budget, this.#now)
    const found = await findCall(new HeldParts(given, this.#open), query, this.#bench, spending)
    return { call: found?.toJSON() ?? null, complete: !spending.ended }
  }

  #next(plan: SlicePlan, at: number, size: number, newest: boolean): Slice | undefined {
    return newest ? plan.before(at, size) : plan.after(at, size)
  }

  #budget({ max_ms, max_bytes }: Query) {
    const { time, bytes } = this.#start.budget
    return { time: Math.min(time, max_ms ?? time), bytes: Math.min(bytes, max_bytes ?? bytes) }
  }

  /** The calls of a slice that match and come after a place; undefined where the budget ended in the middle of it. */
  async #search(search: Search, slice: Slice, after: Place | undefined, limit: number) {
    const { query, filter, held, parties, spending, window } = search
    const sign = query.order === 'newest' ? -1 : 1
    const list = new Shortlist<CallRecord | Compact>(limit, query.order)
    const looked: string[] = []
    const whole = await dissectWindow(
      held,
      {
        from: slice.readFrom,
        to: slice.readTo,
        parties,
        call(call, record) {
          const { start: ts, ordinal } = call
          if (ts < slice.from || ts >= slice.to || ts < window.from || ts >= window.to) return
          const place = { ts, flow: call.flow.id, ordinal }
          if (after && sign * comparePlaces(place, after) <= 0) return
          looked.push(call.protocol)
          const made = record()
          if (filter.matches(made)) list.offer(place, query.format === 'compact' ? made.compact() : made)
        },
        progress: (bytes, packets) => spending.spend(bytes, packets),
      },
      this.#bench,
    )
    if (!whole) return undefined
    spending.finish(looked)
    return list
  }
}

type Compact = ReturnType<CallRecord['compact']>

function shown(kept: CallRecord | Compact, format: Query['format']): unknown {
  if (!('toJSON' in kept)) return kept
  const full = kept.toJSON()
  return format === 'raw' ? { ...full, worker: kept.node_id } : full
}
