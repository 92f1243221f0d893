import type { BootSources, ResolvedConfig } from '@tapdeck/config'
import type { Log } from './log.ts'

export interface HubOptions extends ResolvedConfig {
  readonly sources: BootSources
  readonly dataFolder: string
  readonly workerCredential: string
  /** A worker was started together with this hub. */
  readonly expectsWorker: boolean
  readonly dashboardFolder: string
  /** The bundle of the thread that dissects. */
  readonly dissectionThread: URL
  /** The bundle of the thread that runs the script of a network agent. */
  readonly scriptThread: URL
  readonly log: Log
}
