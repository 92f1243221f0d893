import type { Capability } from '@tapdeck/api'
import { createContext, use } from 'react'
import type { Whoami } from './hub.ts'

/** Who looks at the page, and what the hub will let them do. */
export class Caller {
  readonly name: string
  readonly role: string
  /** The hub knows who this is by a login that can be ended. */
  readonly isLoggedIn: boolean
  readonly #capabilities: ReadonlySet<string>

  constructor(whoami: Whoami) {
    this.name = whoami.name
    this.role = whoami.role
    this.isLoggedIn = whoami.auth.enabled
    this.#capabilities = new Set(whoami.capabilities)
  }

  can(capability: Capability): boolean {
    return this.#capabilities.has(capability)
  }

  /** Why a control is disabled; nothing where it is not. */
  reasonAgainst(capability: Capability): string | undefined {
    return this.can(capability) ? undefined : `Your role ${this.role} lacks ${capability}.`
  }
}

export const CallerContext = createContext<Caller | undefined>(undefined)

export function useCaller(): Caller {
  const caller = use(CallerContext)
  if (!caller) throw new Error('useCaller outside of CallerContext')
  return caller
}
