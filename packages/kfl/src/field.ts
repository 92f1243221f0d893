/** The kinds of value a filter can compare. A `status` is a number or a word; `json` is known only when a call is read. */
export type ValueType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'timestamp'
  | 'duration'
  | 'ip'
  | 'status'
  | 'list'
  | 'map'
  | 'json'

/** How a value is derived from the value at the path. */
export type Derivation =
  | 'json-text'
  | 'ordinal'
  | 'hex'
  | 'capture'
  | 'capture-backend'
  | 'capture-code'
  | 'resolution'

/** One name of the catalog. Several names may lead to the same path; they then mean the same. */
export interface CatalogField {
  readonly name: string
  readonly type: ValueType
  /** Path of the value in the full call (`request.headers`, `dns.questions`). */
  readonly path: string
  readonly doc: string
  readonly example: string
  /** Set where the field exists only in calls of these protocols. */
  readonly protocols?: readonly string[]
  /** The filter that this name is short for (`ws` for `proto == "websocket"`). */
  readonly means?: string
  /** Of a duration: what a plain number beside it counts. Milliseconds, where nothing is said. */
  readonly unit?: 'us' | 'ms'
  /** Text and keys are compared without regard to case, as protocol and header names are. */
  readonly ignoreCase?: boolean
  /** Read in this order where the path holds nothing. */
  readonly fallbacks?: readonly string[]
  /** A list of the values at these paths. */
  readonly members?: readonly string[]
  /** A map of the values at these paths, by key. */
  readonly entries?: Readonly<Record<string, string>>
  readonly derive?: Derivation
  /** A member differs from a value only where this field itself is there: a call without headers has none that differs. */
  readonly container?: boolean
}
