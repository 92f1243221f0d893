import { Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { Caller } from './caller.ts'

/** The namespaces that a caller is narrowed to, and what follows from them. */
export interface NamespaceScope {
  readonly namespaces: readonly string[]
  /**
   * A filter that matches what the given one matches, of what the caller may see. The given one is checked alone first:
   * whatever is in it, it cannot reach outside its brackets. `alsoReturned` is a field whose values are returned as well.
   * Throws `KflError`.
   */
  narrow(kfl: string, catalog: Catalog, now: number, alsoReturned?: string): string
  /** Whether something between these two ends may be seen: one of them is in an allowed namespace. */
  sees(src: string | undefined, dst: string | undefined): boolean
  holds(namespace: string | undefined): boolean
}

/**
 * THE rule of namespaces. A caller whose role is narrowed sees a call, a flow or an event where at least one end is in
 * an allowed namespace, and then whole; of anything else neither content nor count. Undefined: the caller sees all.
 */
export function scopeOf({ namespaces }: Pick<Caller, 'namespaces'>): NamespaceScope | undefined {
  if (namespaces === '*') return undefined
  const allowed: ReadonlySet<string> = new Set(namespaces)
  const list = `[${[...allowed].map((name) => JSON.stringify(name)).join(', ')}]`
  const holds = (namespace: string | undefined) => namespace !== undefined && allowed.has(namespace)
  return {
    namespaces: [...allowed],
    holds,
    sees: (src, dst) => holds(src) || holds(dst),
    narrow(kfl, catalog, now, alsoReturned) {
      const returned = alsoReturned === undefined ? [] : [catalog.find(alsoReturned)?.path ?? alsoReturned]
      const paths = [...compile(kfl, catalog, now).paths, ...returned]
      // The handshakes of a destination are counted over all its clients, seen or not. Only those of the own clients are returned.
      const ofDestination = paths.some((path) => path.startsWith('tcp_handshake'))
      const mine = ofDestination ? `dst.ns in ${list}` : `(src.ns in ${list} or dst.ns in ${list})`
      return kfl.trim() === '' ? mine : `${mine} and (${kfl})`
    },
  }
}

/** Throws 403 where a caller is narrowed to namespaces, for what cannot be narrowed. */
export function requireUnscoped(caller: Caller): void {
  if (caller.namespaces === '*') return
  throw new Problem(
    403,
    'outside_scope',
    `The role "${caller.role}" is limited to some namespaces, and this operation covers all of them`,
    { role: caller.role, namespaces: [...caller.namespaces] },
  )
}
