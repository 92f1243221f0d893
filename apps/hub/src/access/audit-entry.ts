/** One call that changed something or read data, or was refused to. */
export interface AuditEntry {
  readonly at: string
  readonly who: string
  readonly role: string
  readonly kind: string
  readonly from: string
  readonly door: string
  readonly what: string
  readonly status: number
  /** What was asked for, such as the filter; cut where it is long. */
  readonly input?: Readonly<Record<string, unknown>>
  /** Calls, flows, groups or names that were given. */
  readonly rows?: number
  /** How many of them are calls that were sent encrypted. */
  readonly decrypted?: number
  readonly ms?: number
  /** Of a line for refusals that have no line of their own: how many there were since the last such line. */
  readonly left_out?: number
}
