import type { Workers } from '../cluster/workers.ts'
import type { HubOptions } from '../hub-options.ts'
import { ChangeLog } from '../switch/change-log.ts'
import { Switchboard } from '../switch/switchboard.ts'
import type { HubModule } from './hub-module.ts'

/** The Traffic Indexing switch and the log of its changes. */
export interface SwitchModule extends HubModule {
  readonly switchboard: Switchboard
}

/** `now` never jumps: the inactivity period is measured by it. */
export async function openSwitch(
  { config, state, hasTakenOver, log }: HubOptions,
  workers: Workers,
  now: () => number,
): Promise<SwitchModule> {
  const changeLog = await ChangeLog.open(state, log)
  const { dissection } = config.tap.capture
  const switchboard = new Switchboard(dissection, workers, log, now, changeLog, hasTakenOver)
  const prefix = 'tap.capture.dissection'
  return {
    switchboard,
    keys: [`${prefix}.enabled`, `${prefix}.stopAfter`, `${prefix}.mcpCountsAsActivity`],
    configure({ tap }) {
      switchboard.configure(tap.capture.dissection)
    },
    async close() {
      switchboard.close()
      await changeLog.flush()
    },
  }
}
