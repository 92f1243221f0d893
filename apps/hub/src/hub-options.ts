import type { BootSources, ResolvedConfig } from '@tapdeck/config'
import type { Log } from './log.ts'
import type { StateStore } from './state/state-store.ts'

export interface HubOptions extends ResolvedConfig {
  readonly sources: BootSources
  readonly dataFolder: string
  /** Open for this hub alone; the hub does not close it. */
  readonly state: StateStore
  /** It continues what another hub did until now, as its standby. */
  readonly hasTakenOver: boolean
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
