import { KeyLogFileSource } from './key-log-file-source.ts'
import type { KeySource } from './key-source.ts'
import { ProcessKeySource } from './process-key-source.ts'
import { createProcessTargets, type ProcessTargetOptions } from './process-targets.ts'

/** `tap.tls.capture`, and where names of pods come from. */
export interface KeySourcesOptions extends ProcessTargetOptions {
  readonly enabled: boolean
  readonly keyLogFiles: readonly string[]
  readonly maxHitsPerSecond: number
}

/** The sources of secrets that the configuration turns on; none by default. */
export function createKeySources(options: KeySourcesOptions): readonly KeySource[] {
  const { enabled, keyLogFiles, maxHitsPerSecond, processes, namespaces } = options
  if (!enabled) return []
  const sources: KeySource[] = []
  if (keyLogFiles.length > 0) sources.push(new KeyLogFileSource(keyLogFiles))
  if (processes !== '' || namespaces.length > 0)
    sources.push(new ProcessKeySource({ isTargeted: createProcessTargets(options), maxHitsPerSecond }))
  return sources
}
