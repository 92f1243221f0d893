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

/** Goes there. A new filter, source or view is a step that "back" undoes; moving through rows is not. */
export function go(change: Partial<Address>): void {
  const before = current.get()
  const after = { ...before, ...change }
  const url = writeAddress(location.pathname, after)
  if (url === writeAddress(location.pathname, before)) return
  const isStep = after.kfl !== before.kfl || after.db !== before.db || after.view !== before.view
  if (isStep) history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  current.set(after)
}
