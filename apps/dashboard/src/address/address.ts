import { DEFAULT_SPAN, isSpan, type Span } from '../time/time-window.ts'
import { type CallTab, isCallTab } from './call-tab.ts'
import { type EventKind, isEventKind } from './event-kind.ts'
import { type Grouping, isGrouping } from './grouping.ts'
import { type View, viewNames } from './views.ts'

/** What the page shows, as its address says it, so that it can be shared and survives a reload. */
export interface Address {
  readonly view: View
  /** The applied filter. */
  readonly kfl: string
  /** `<snapshot>/<dissection>`, `recording`, or live. */
  readonly db: string | undefined
  /** The window that is shown, in Unix milliseconds. Without: live traffic as it comes, or all of a dissection. */
  readonly start: number | undefined
  readonly end: number | undefined
  /** How far back the time axis of live traffic reaches. */
  readonly last: Span
  /** The call whose details are open. */
  readonly call: string | undefined
  /** The part of its details that is shown. */
  readonly tab: CallTab
  /** What the figures are grouped by. */
  readonly by: Grouping
  /** What is looked for in lists of flows and events, and on the map. */
  readonly find: string
  readonly kind: EventKind
  /** What the map shows, as the map writes it. */
  readonly map: string
  /** What suspects are compared with: the part of the window before the first change, or the time before the window. */
  readonly baseline: 'change' | 'before'
  /** The place of the documentation that is read: `kfl`, or `kfl:operators` for a section. Empty: its index. */
  readonly doc: string
}

const dbPattern = /^(recording|[^/]+\/[^/]+)$/
const docsPattern = /^#docs(?:\/(.*))?$/
const timePattern = /^\d{1,15}$/

export function readAddress(search: string, hash: string): Address {
  const parameters = new URLSearchParams(search)
  const db = parameters.get('db') ?? ''
  const by = parameters.get('by')
  const last = parameters.get('last')
  const kind = parameters.get('kind')
  const tab = parameters.get('tab')
  const docs = docsPattern.exec(hash)
  return {
    view: docs ? 'docs' : (viewNames.find((view) => hash === `#${view}`) ?? 'calls'),
    kfl: parameters.get('q')?.trim() ?? '',
    db: dbPattern.test(db) ? db : undefined,
    start: readTime(parameters.get('start')),
    end: readTime(parameters.get('end')),
    last: isSpan(last) ? last : DEFAULT_SPAN,
    call: parameters.get('call') || undefined,
    tab: isCallTab(tab) ? tab : 'overview',
    by: isGrouping(by) ? by : 'service',
    find: parameters.get('find') ?? '',
    kind: isEventKind(kind) ? kind : 'all',
    map: parameters.get('map') ?? '',
    baseline: parameters.get('baseline') === 'before' ? 'before' : 'change',
    doc: docs?.[1] ?? '',
  }
}

/** Relative to the page's path, which is kept. */
export function writeAddress(path: string, address: Address): string {
  const parameters = new URLSearchParams()
  if (address.kfl) parameters.set('q', address.kfl)
  if (address.db) parameters.set('db', address.db)
  if (address.start !== undefined) parameters.set('start', String(address.start))
  if (address.end !== undefined) parameters.set('end', String(address.end))
  if (address.last !== DEFAULT_SPAN) parameters.set('last', address.last)
  if (address.call) parameters.set('call', address.call)
  if (address.call && address.tab !== 'overview') parameters.set('tab', address.tab)
  if (address.by !== 'service') parameters.set('by', address.by)
  if (address.find) parameters.set('find', address.find)
  if (address.kind !== 'all') parameters.set('kind', address.kind)
  if (address.map) parameters.set('map', address.map)
  if (address.baseline !== 'change') parameters.set('baseline', address.baseline)
  const search = parameters.size > 0 ? `?${parameters}` : ''
  return `${path}${search}${fragment(address)}`
}

function fragment({ view, doc }: Address): string {
  if (view === 'docs') return `#docs${doc && `/${doc}`}`
  return view === 'calls' ? '' : `#${view}`
}

function readTime(text: string | null): number | undefined {
  return text !== null && timePattern.test(text) ? Number(text) : undefined
}
