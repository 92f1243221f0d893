import type { Message } from './message.ts'

export type SqlDialect = 'mysql' | 'standard'

/** A part of a message: `[start, end)` of its bytes. */
export type ReportRange = (start: number, end: number) => void

/** A value: the names that lead to it in the presented body, and its bytes. Without names it is opaque content. */
export type ReportValue = (keys: readonly string[] | undefined, start: number, end: number) => void

/** Where the messages of a protocol have what redaction rules name. `packages/redact` decides what is masked. */
export interface Redaction {
  /** The head is an address with lines of header fields. */
  readonly hasHeaderLines?: boolean
  /** The head of a request is a statement in this dialect, its body the values bound to it. */
  readonly statements?: SqlDialect
  /** Reports texts in a head that are JSON. */
  eachJsonInHead?(head: Uint8Array, report: ReportRange): void
  /** The same for a body. It recognises the body by its bytes, because other protocols may carry it. */
  eachJsonInBody?(body: Uint8Array, report: ReportRange): void
  /** Reports the values of a body in an encoding of its own. Opaque content is masked if any path is. */
  eachValue?(message: Message, report: ReportValue): void
  /** Reports what is compressed in a body, and shown decompressed. It is masked if any text is searched for. */
  eachCompressed?(message: Message, report: ReportRange): void
}
