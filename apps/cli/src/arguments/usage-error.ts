/** The command line cannot be understood: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Also of another bundle, which has a class of its own. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError'
}
