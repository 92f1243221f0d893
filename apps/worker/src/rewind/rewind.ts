import type { WorkerRequests } from '@tapdeck/api'
import { type Call, type CallRecord, protocols } from '@tapdeck/dissect'
import { createResolver, type Inventory, parseInventory } from '@tapdeck/inventory'
import { compile, createCatalog, type Filter } from '@tapdeck/kfl'
import { ownedFilter } from '@tapdeck/questions'
import { OpenPartIndex, Owners, type RecordedEvent } from '@tapdeck/recording'
import { createRedactor } from '@tapdeck/redact'
import { CapturedKeys } from '../keys/captured-keys.ts'
import type { StoredSecret } from '../keys/sealed-key-log.ts'
import { BudgetMeter } from './budget-meter.ts'
import { type DissectionContext, dissectWindow } from './dissect-window.ts'
import { filterPartyKeys } from './filter-party-keys.ts'
import { findCall } from './find-call.ts'
import { HeldSegments } from './held-segments.ts'
import { LateCompactCall } from './late-compact-call.ts'
import { OrderedPage } from './ordered-page.ts'
import {
  comparePlaces,
  fromCursor,
  type Place,
  queryText,
  type RewindCursor,
  toCursor,
} from './rewind-cursor.ts'
import type { HeldWindow, RewindStart } from './rewind-message.ts'
import { type Slice, SlicePlan } from './slice-plan.ts'

type Query = WorkerRequests['rewind']['input']
type Page = WorkerRequests['rewind']['output']

const MIB = 1 << 20
/**
 * Bytes of a slice. The first one is small, for a fast first answer; each following one is twice as large. `named` is the
 * first size if the filter names hosts, because only their packets are dissected.
 */
const SLICES = { first: 16 * MIB, named: 128 * MIB, largest: 256 * MIB }

/** Calls of a slice that wait for what becomes known after them; above that the oldest are compared with the filter as they are. */
const MAX_WAITING = 20_000

/** The values that all slices of one query share. */
interface Search {
  readonly query: Query
  readonly filter: Filter
  readonly held: HeldSegments
  readonly parties: readonly (readonly number[])[]
  readonly meter: BudgetMeter
  readonly window: { readonly from: number; readonly to: number }
}

/** Finds calls in the recording: dissects on request only the parts that can contain matches. */
export class Rewind {
  readonly #start: RewindStart
  readonly #now: () => number
  readonly #slices: typeof SLICES
  readonly #catalog = createCatalog(protocols)
  #inventory: Inventory = { pods: [], services: [] }
  readonly #owners = new Owners()
  readonly #open = new OpenPartIndex()
  readonly #keys: CapturedKeys | undefined
  #context: DissectionContext

  /** `now`: a monotonic clock in milliseconds, for the budget. */
  constructor(start: RewindStart, now: () => number, slices = SLICES) {
    this.#start = start
    this.#slices = slices
    this.#now = now
    const { node, nodeIp, bodyBytes } = start
    const resolver = createResolver(this.#inventory)
    this.#keys = start.opensTls ? new CapturedKeys() : undefined
    this.#context = {
      node,
      nodeIp,
      bodyBytes,
      redactor: createRedactor(start.redaction),
      resolver,
      owners: this.#owners,
      ...(this.#keys && { keys: this.#keys.recorded }),
    }
  }

  setCredentialKey(key: string): void {
    this.#context.redactor?.setKey(Buffer.from(key, 'hex'))
  }

  setInventory(value: unknown): void {
    this.#inventory = parseInventory(value)
    this.#context = { ...this.#context, resolver: createResolver(this.#inventory) }
  }

  learnKeys(secrets: readonly StoredSecret[]): void {
    this.#keys?.add(secrets)
  }

  learnOwners(events: readonly RecordedEvent[]): void {
    for (const event of events) this.#owners.learn(event)
  }

  async calls(given: HeldWindow, query: Query): Promise<Page> {
    const wanted = compile(query.kfl, this.#catalog, Date.now())
    const filter = query.owners ? ownedFilter(wanted, query.owners, this.#catalog) : wanted
    const same = queryText(query)
    const cursor = query.cursor === undefined ? undefined : fromCursor(query.cursor, same)
    const window = cursor ?? { from: Math.floor(query.start * 1000), to: Math.floor(query.end * 1000) + 1 }
    const bounds = { from: window.from, to: window.to }
    const partyKeys = filterPartyKeys(filter, this.#inventory)
    const held = new HeldSegments(given, this.#open)
    const meter = new BudgetMeter(this.#budget(query), this.#now)
    const search: Search = { query, filter, held, parties: partyKeys ?? [], meter, window }
    const newest = query.order === 'newest'
    const first = partyKeys?.length ? this.#slices.named : this.#slices.first
    const { edge } = given
    const from = newest ? Math.max(window.from, edge ?? window.from) : window.from
    const to = newest ? window.to : Math.min(window.to, edge ?? window.to)
    const plan = new SlicePlan(partyKeys ? held.ranges(partyKeys) : [], from, to)
    const found: { call: unknown; cursor: RewindCursor }[] = []
    let at = cursor?.at ?? (newest ? window.to : window.from)
    const begun = at
    let next: RewindCursor | undefined
    /** The edge of the part whose calls were all compared with the filter. */
    let reached = at
    let slice = cursor?.slice ?? this.#next(plan, at, first, newest)
    let after = cursor?.after
    let more = 0
    for (let size = first; slice !== undefined; ) {
      const list = meter.allows(slice.bytes)
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
        ...meter.report,
        window_bytes: held.bytes(window.from, window.to),
        read_bytes: meter.report.read_bytes + held.indexedBytes,
        searched_from: Math.floor(Math.min(begun, reached) / 1000),
        searched_to: Math.floor((Math.max(begun, reached) - 1) / 1000),
        restricted: partyKeys === undefined || partyKeys.length > 0,
      },
    }
  }

  async call(
    given: HeldWindow,
    query: WorkerRequests['rewind_call']['input'],
  ): Promise<WorkerRequests['rewind_call']['output']> {
    const meter = new BudgetMeter(this.#start.budget, this.#now)
    const found = await findCall(new HeldSegments(given, this.#open), query, this.#context, meter)
    return { call: found?.toJSON() ?? null, complete: !meter.exhausted }
  }

  #next(plan: SlicePlan, at: number, size: number, newest: boolean): Slice | undefined {
    return newest ? plan.before(at, size) : plan.after(at, size)
  }

  #budget({ max_ms, max_bytes }: Query) {
    const { time, bytes } = this.#start.budget
    return { time: Math.min(time, max_ms ?? time), bytes: Math.min(bytes, max_bytes ?? bytes) }
  }

  /** The matching calls of a slice after a place; undefined if the budget was exhausted within the slice. */
  async #search(search: Search, slice: Slice, after: Place | undefined, limit: number) {
    const { query, filter, held, parties, meter, window } = search
    const sign = query.order === 'newest' ? -1 : 1
    const list = new OrderedPage<Kept>(limit, query.order)
    // A filter may read what becomes known some packets after the call.
    const waiting = filter.paths.includes('delivery')
      ? ([] as { place: Place; made: CallRecord; call: Call }[])
      : undefined
    const offer = (place: Place, made: CallRecord, call: Call): void => {
      if (filter.matches(made))
        list.offer(place, query.format === 'compact' ? new LateCompactCall(made, call) : made)
    }
    const offerOldest = (): void => {
      const oldest = waiting?.shift()
      if (oldest) offer(oldest.place, oldest.made, oldest.call)
    }
    const seen: string[] = []
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
          seen.push(call.protocol)
          const made = record()
          if (waiting === undefined) offer(place, made, call)
          else if (waiting.push({ place, made, call }) > MAX_WAITING) offerOldest()
        },
        progress: (bytes, packets) => meter.spend(bytes, packets),
      },
      this.#context,
    )
    if (!whole) return undefined
    while (waiting?.length) offerOldest()
    meter.finish(seen)
    return list
  }
}

/** A call, or its compact form without what it was read from. */
type Kept = CallRecord | LateCompactCall

function shown(kept: Kept, format: Query['format']): unknown {
  if (!('toJSON' in kept)) return kept.compact()
  const full = kept.toJSON()
  return format === 'raw' ? { ...full, worker: kept.node_id } : full
}
