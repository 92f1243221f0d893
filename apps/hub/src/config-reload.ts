import { type Config, changedKeys, restartReason } from '@tapdeck/config'
import type { Log } from './log.ts'
import type { HubModule } from './modules/hub-module.ts'

export interface RestartNeeded {
  readonly key: string
  readonly reason: string
}

/** Applies a changed configuration to the modules, and knows the changed keys that need a restart. */
export class ConfigReload {
  readonly #started: Config
  readonly #modules: readonly HubModule[]
  readonly #log: Log
  #applied: Config

  constructor(started: Config, modules: readonly HubModule[], log: Log) {
    this.#started = started
    this.#applied = started
    this.#modules = modules
    this.#log = log
  }

  /** Keys whose values differ from those at the start, and that the running hub does not apply. */
  get restartNeeded(): readonly RestartNeeded[] {
    return restartKeys(changedKeys(this.#started, this.#applied))
  }

  /** If one module rejects the configuration, all of them get the previous one again. */
  async apply(config: Config): Promise<void> {
    const previous = this.#applied
    try {
      for (const module of this.#modules) await module.configure(config)
    } catch (error) {
      for (const module of this.#modules) await module.configure(previous)
      throw error
    }
    this.#applied = config
    const pending = restartKeys(changedKeys(previous, config))
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
