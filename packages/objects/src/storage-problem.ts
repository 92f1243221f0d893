export type StorageFailure =
  | 'denied'
  | 'no_bucket'
  | 'wrong_region'
  | 'full'
  | 'exists'
  | 'missing'
  | 'unreachable'
  | 'too_large'
  | 'damaged'
  | 'unsupported'
  | 'failed'

const MARK = Symbol.for('tapdeck.StorageProblem')

/** Why the object storage did not do what was asked. */
export class StorageProblem extends Error {
  /** Tapdeck is built with the SDK in a file of its own, which has another copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && MARK in value
  }

  readonly kind: StorageFailure
  readonly [MARK] = true

  constructor(kind: StorageFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }

  /** Whether the same request may succeed later without a change of the configuration. */
  get isTemporary(): boolean {
    return this.kind === 'unreachable' || this.kind === 'full' || this.kind === 'failed'
  }
}
