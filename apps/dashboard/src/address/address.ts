export type View = 'calls' | 'snapshots' | 'recordings'

/** What the page shows, as its address says it, so that it can be shared and survives a reload. */
export interface Address {
  readonly view: View
  /** The applied filter. */
  readonly kfl: string
  /** `<snapshot>/<dissection>`, or live. */
  readonly db: string | undefined
  /** The call whose details are open. */
  readonly call: string | undefined
}

const dbPattern = /^[^/]+\/[^/]+$/

export function readAddress(search: string, hash: string): Address {
  const parameters = new URLSearchParams(search)
  const db = parameters.get('db') ?? ''
  return {
    view: hash === '#snapshots' ? 'snapshots' : hash === '#recordings' ? 'recordings' : 'calls',
    kfl: parameters.get('q')?.trim() ?? '',
    db: dbPattern.test(db) ? db : undefined,
    call: parameters.get('call') || undefined,
  }
}

/** Relative to the page's path, which is kept. */
export function writeAddress(path: string, address: Address): string {
  const parameters = new URLSearchParams()
  if (address.kfl) parameters.set('q', address.kfl)
  if (address.db) parameters.set('db', address.db)
  if (address.call) parameters.set('call', address.call)
  const search = parameters.size > 0 ? `?${parameters}` : ''
  return `${path}${search}${address.view === 'calls' ? '' : `#${address.view}`}`
}
