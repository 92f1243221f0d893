import type { Config } from '@tapdeck/config'

/** A group of services of the hub that opens, takes configuration changes and closes together. */
export interface HubModule {
  /** The configuration keys that `configure` applies. A prefix covers all keys below it. */
  readonly keys: readonly string[]
  /** Applies a changed configuration, or throws and keeps the previous one. */
  configure(config: Config): void | Promise<void>
  close(): void | Promise<void>
}
