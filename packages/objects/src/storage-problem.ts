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
  | 'failed'

/** Why the object storage did not do what was asked. */
export class StorageProblem extends Error {
  readonly kind: StorageFailure

  constructor(kind: StorageFailure, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }

  /** Whether the same request may succeed later without a change of the configuration. */
  get isTemporary(): boolean {
    return this.kind === 'unreachable' || this.kind === 'full' || this.kind === 'failed'
  }
}
