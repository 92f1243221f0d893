import type { Capability } from '@tapdeck/api'

/** Whoever asks, resolved to one role. */
export interface Caller {
  readonly name: string
  readonly role: string
  readonly capabilities: readonly Capability[]
  /** `*`: all. Otherwise the only ones whose traffic this caller sees. */
  readonly namespaces: '*' | readonly string[]
  /** How the caller was identified; `none` while callers are not. */
  readonly kind: string
}
