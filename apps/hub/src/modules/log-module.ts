import type { Log } from '../log.ts'
import type { HubModule } from './hub-module.ts'

/** How much the hub logs. */
export function logModule(log: Log): HubModule {
  return {
    keys: ['logLevel'],
    configure({ logLevel }) {
      log.level = logLevel
    },
    close() {},
  }
}
