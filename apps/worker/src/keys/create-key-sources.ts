import { KeyLogFileSource } from './key-log-file-source.ts'
import type { KeySource } from './key-source.ts'

export interface KeySourcesOptions {
  /** `tap.tls.capture.enabled`. */
  readonly enabled: boolean
  readonly keyLogFiles: readonly string[]
}

/** The sources of secrets that the configuration turns on; none by default. */
export function createKeySources({ enabled, keyLogFiles }: KeySourcesOptions): readonly KeySource[] {
  if (!enabled) return []
  return keyLogFiles.length > 0 ? [new KeyLogFileSource(keyLogFiles)] : []
}
