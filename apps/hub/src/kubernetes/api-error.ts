/** The API server answered, and not with what was asked for. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(status: number, message: string) {
    super(`${status}: ${message.slice(0, 500)}`)
    this.status = status
  }

  /** The resource version is too old: only a new list helps. */
  get isExpired(): boolean {
    return this.status === 410
  }

  /** A right is missing, or there is no such kind. Asking again soon does not help. */
  get isRefusal(): boolean {
    return [401, 403, 404].includes(this.status)
  }
}
