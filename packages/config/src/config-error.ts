/** One thing that is wrong with the configuration, with all that is needed to mend it. */
export interface ConfigProblem {
  /** Path of the key, such as `tap.auth.defaultRole`; empty where a source as a whole cannot be read. */
  readonly path: string
  readonly message: string
  /** The file, the `--set` text, the flag or the environment variable it came from. */
  readonly from: string
  readonly given?: unknown
  readonly accepted?: string
  /** The nearest key, or the successor of a removed one. */
  readonly suggestion?: string
}

/** Everything that is wrong at once, so that it is mended at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

function formatProblem({ path, message, from, accepted, suggestion }: ConfigProblem): string {
  const line = `${path === '' ? '' : `${path}: `}${message} (from ${from})`
  const hints = [accepted && `accepted: ${accepted}`, suggestion]
  return [line, ...hints.filter((hint) => hint !== undefined)].join('; ')
}
