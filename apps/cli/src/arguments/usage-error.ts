/** The command line cannot be understood: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
