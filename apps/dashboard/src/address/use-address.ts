import { useSyncExternalStore } from 'react'
import { Store } from '../live/store.ts'
import { type Address, readAddress, writeAddress } from './address.ts'

const current = new Store(readAddress(location.search, location.hash))

const reread = () => current.set(readAddress(location.search, location.hash))
addEventListener('popstate', reread)
addEventListener('hashchange', reread)

export function useAddress(): Address {
  return useSyncExternalStore(current.watch, current.get)
}

const places = ['view', 'kfl', 'db', 'start', 'end', 'last', 'by', 'kind', 'map', 'baseline', 'doc'] as const

/** In the history's state: the step before is the same page without the details. */
const opening = 'opening'

/**
 * Goes there. A new filter, source or view is a step that "back" undoes, and so is opening a call, which may cover the
 * list; moving from one call to the next, and what is typed to find something, is not.
 */
export function go(change: Partial<Address>): void {
  const before = current.get()
  const after = { ...before, ...change }
  const url = writeAddress(location.pathname, after)
  if (url === writeAddress(location.pathname, before)) return
  const isElsewhere = places.some((name) => after[name] !== before[name])
  if (isElsewhere) history.pushState(null, '', url)
  else if (before.call === undefined && after.call !== undefined) history.pushState(opening, '', url)
  else history.replaceState(history.state, '', url)
  current.set(after)
}

/** The address of a place of the documentation. A link changes the fragment only, so the filter and the time stay. */
export function docsHref(place: string): string {
  return `#docs/${place}`
}

/** Closes the details: back to before they were opened where that was the last step, so that "back" never reopens them. */
export function closeCall(): void {
  if (current.get().call === undefined) return
  if (history.state === opening) history.back()
  else go({ call: undefined })
}
