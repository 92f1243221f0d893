import type { Capability } from '@tapdeck/api'

/** How a caller was identified; `none` while callers are not. */
export type CallerKind = 'none' | 'token' | 'oidc' | 'kubernetes'

/** The caller of a request, resolved to one role. */
export interface Caller {
  readonly name: string
  readonly role: string
  readonly capabilities: readonly Capability[]
  /** `*`: all. Otherwise the only ones whose traffic this caller sees. */
  readonly namespaces: '*' | readonly string[]
  readonly kind: CallerKind
  /** What it is counted and limited by; never a secret. */
  readonly key: string
  /** It came by a browser's cookie: whatever changes something must come from our own page. */
  readonly cookie: boolean
  /** Unix milliseconds after which it must prove itself again. */
  readonly until: number
  /** The API token it was identified by. */
  readonly token?: string
  /** The browser session it was identified by. */
  readonly session?: string
  /** The state of the configuration it was resolved under. */
  readonly configGeneration: number
}
