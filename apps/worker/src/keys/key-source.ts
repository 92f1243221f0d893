/** Where a secret was found. */
export type SecretOrigin = 'key_log_file' | 'go' | 'node' | 'openssl' | 'gnutls'

/** One secret of one TLS connection. */
export interface CapturedSecret {
  /** A line of an NSS key log, without its newline. */
  readonly line: string
  /** When it was read. Unix milliseconds. */
  readonly at: number
  readonly source: SecretOrigin
  /** The process that owns the connection, if it is known. */
  readonly pid?: number
  readonly comm?: string
}

/** What a source did so far. Counters only grow. */
export interface KeySourceStatus {
  /** Why the source delivers nothing, or less than it could; absent: nothing is wrong. */
  readonly reason?: string
  /** Secrets passed on. */
  readonly secrets: number
  /** Lines that could not be read. */
  readonly badLines: number
  /** Watched key log files. */
  readonly files: number
  /** Probes that are attached now. */
  readonly probes: number
  /** Times that a probe was hit. */
  readonly hits: number
  /** Secrets that were lost or could not be read in the process. */
  readonly missed: number
  /** Files in which a library was recognized but its secrets could not be located. */
  readonly learningFailures: number
  /** Times that probes were removed because a process exceeded its budget of hits. */
  readonly overBudget: number
}

export const NO_ACTIVITY: KeySourceStatus = {
  secrets: 0,
  badLines: 0,
  files: 0,
  probes: 0,
  hits: 0,
  missed: 0,
  learningFailures: 0,
  overBudget: 0,
}

/** A place on this node from which secrets of TLS connections come. It runs in the worker's main thread. */
export interface KeySource {
  /** Never throws: a source that cannot run reports its reason in `status`. */
  start(onSecret: (secret: CapturedSecret) => void): void
  /** No secret is passed on after this. All probes and files are released. */
  stop(): void
  status(): KeySourceStatus
  /** All secrets that could be read at this time were passed on. Unix milliseconds. */
  readonly readUntil: number
}
