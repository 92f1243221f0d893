import {
  type ConfigOrigin,
  changedKeys,
  configKeys,
  type ResolvedConfig,
  restartReason,
  valueAt,
} from '@tapdeck/config'
import type { Log } from './log.ts'
import type { HubModule } from './modules/hub-module.ts'

export interface RestartNeeded {
  readonly key: string
  readonly reason: string
}

/** A key as the hub runs with it. */
export interface RunningKey {
  readonly key: string
  readonly value: unknown
  readonly origin: ConfigOrigin
}

/** Applies a changed configuration to the modules, and knows the changed keys that need a restart. */
export class ConfigReload {
  readonly #started: ResolvedConfig
  readonly #modules: readonly HubModule[]
  readonly #log: Log
  #applied: ResolvedConfig

  constructor(started: ResolvedConfig, modules: readonly HubModule[], log: Log) {
    this.#started = started
    this.#applied = started
    this.#modules = modules
    this.#log = log
  }

  /** Keys whose values differ from those at the start, and that the running hub does not apply. */
  get restartNeeded(): readonly RestartNeeded[] {
    return restartKeys(changedKeys(this.#started.config, this.#applied.config))
  }

  /** Every key in the order of the schema. One that needs a restart has the value of the start. */
  get running(): readonly RunningKey[] {
    return configKeys.map(({ path }) => {
      const { config, origins } = restartReason(path) === undefined ? this.#applied : this.#started
      return { key: path, value: valueAt(config, path), origin: origins[path] ?? { kind: 'default' } }
    })
  }

  /** If one module rejects the configuration, all of them get the previous one again. */
  async apply(changed: ResolvedConfig): Promise<void> {
    const previous = this.#applied
    try {
      for (const module of this.#modules) await module.configure(changed.config)
    } catch (error) {
      for (const module of this.#modules) await module.configure(previous.config)
      throw error
    }
    this.#applied = changed
    const pending = restartKeys(changedKeys(previous.config, changed.config))
    if (pending.length > 0)
      this.#log.warn({ keys: pending }, 'restart Tapdeck to apply the changed configuration keys')
  }
}

function restartKeys(changed: readonly string[]): RestartNeeded[] {
  return changed.flatMap((key) => {
    const reason = restartReason(key)
    return reason === undefined ? [] : [{ key, reason }]
  })
}
