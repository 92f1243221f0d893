import { type Capability, isRoleName, Problem, type RoleName, roles } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import type { Caller } from './caller.ts'

class UnknownRole extends Error {
  override readonly name = 'UnknownRole'

  constructor(given: string) {
    super(
      `tap.auth.defaultRole: there is no role ${JSON.stringify(given)}; accepted are ${Object.keys(roles).join(', ')}`,
    )
  }
}

/** Resolves callers to roles. Nothing else in the hub decides who may do what. */
export class Access {
  #identify: boolean
  #defaultRole: RoleName

  /** Throws `UnknownRole`. */
  constructor(auth: Config['tap']['auth']) {
    this.#identify = auth.enabled
    this.#defaultRole = known(auth.defaultRole)
  }

  /** Takes a changed configuration, or throws `UnknownRole` and keeps the old one. */
  configure(auth: Config['tap']['auth']): void {
    this.#defaultRole = known(auth.defaultRole)
    this.#identify = auth.enabled
  }

  get identifies(): boolean {
    return this.#identify
  }

  /** Throws 401 where callers are identified and this one brought nothing that proves who it is. */
  resolve(headers: Headers): Caller {
    if (this.#identify)
      throw new Problem(
        401,
        headers.has('authorization') ? 'bad_credential' : 'no_credential',
        headers.has('authorization') ? 'this credential is not accepted' : 'this hub identifies its callers',
        { hint: 'Send Authorization: Bearer <token>.' },
      )
    return {
      name: 'anonymous',
      role: this.#defaultRole,
      capabilities: roles[this.#defaultRole],
      namespaces: '*',
      kind: 'none',
    }
  }
}

function known(role: string): RoleName {
  if (!isRoleName(role)) throw new UnknownRole(role)
  return role
}

/** Throws 403 where the caller lacks one of the capabilities; the first that lacks is named in `missing`. */
export function demand(caller: Caller, needed: readonly Capability[]): void {
  const missing = needed.filter((capability) => !caller.capabilities.includes(capability))
  if (missing.length === 0) return
  throw new Problem(
    403,
    'missing_capability',
    `the role ${caller.role} does not hold ${missing.join(' and ')}`,
    {
      missing: missing[0],
      role: caller.role,
    },
  )
}
