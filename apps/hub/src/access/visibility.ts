import { type Catalog, compile } from '@tapdeck/kfl'
import type { Narrowing } from '@tapdeck/questions'
import type { Caller } from './caller.ts'
import { scopeOf } from './scope.ts'

/** What a caller may see of calls, where that is not everything. */
export interface Visibility extends Pick<Narrowing, 'namespaces' | 'sees' | 'holds'> {
  /** A filter that matches what the given one matches, of what is visible. Throws `KflError`. */
  narrow(kfl: string, catalog: Catalog, now: number, alsoReturned?: string): string
}

/** Whether a caller may see what was sent encrypted. */
export function seesDecrypted({ capabilities }: Pick<Caller, 'capabilities'>): boolean {
  return capabilities.includes('tls:read')
}

/**
 * THE rule of calls. A role that is narrowed to namespaces sees the calls of these; a role without `tls:read` sees no call
 * that was decrypted, only the handshake before it. Undefined: the caller sees all.
 */
export function visibilityOf(caller: Pick<Caller, 'namespaces' | 'capabilities'>): Visibility | undefined {
  const scope = scopeOf(caller)
  if (seesDecrypted(caller))
    return scope && { ...scope, sees: ({ src, dst }) => scope.sees(src?.ns, dst?.ns) }
  return {
    namespaces: scope?.namespaces,
    narrow(kfl, catalog, now, alsoReturned) {
      // Checked alone first: it cannot reach outside its brackets.
      compile(kfl, catalog, now)
      return withoutDecrypted(scope === undefined ? kfl : scope.narrow(kfl, catalog, now, alsoReturned))
    },
    sees: ({ src, dst, decrypted }) => decrypted !== true && (scope?.sees(src?.ns, dst?.ns) ?? true),
    holds: (namespace) => scope?.holds(namespace) ?? true,
  }
}

/** The filter without decrypted calls. The filter must have been checked. */
export function withoutDecrypted(kfl: string): string {
  return kfl.trim() === '' ? 'not decrypted' : `not decrypted and (${kfl})`
}
