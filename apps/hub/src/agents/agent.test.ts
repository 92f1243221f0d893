import { beforeAll, describe, expect, it } from 'vitest'
import { Slots } from '../cluster/slots.ts'
import { Workers } from '../cluster/workers.ts'
import { LiveSubscriptions } from '../live/live-subscriptions.ts'
import { bundleThread } from '../testing/bundle-thread.ts'
import { until } from '../testing/start-hub.ts'
import { Agent } from './agent.ts'
import { OwnConnections } from './own-connections.ts'

let scriptThread: URL
beforeAll(async () => {
  scriptThread = new URL('./hub-script.mjs', await bundleThread())
})

const log = { info() {}, warn() {}, error() {} } as never

function agent(source: string): Agent {
  const record = {
    name: 'a',
    kfl: '',
    enabled: true,
    created_at: '',
    created_by: 'ann',
    actions: [{ kind: 'script' as const, source }],
  }
  const subscriptions = new LiveSubscriptions(new Workers(), log)
  const options = {
    subscriptions,
    own: new OwnConnections(),
    recordings: {} as never,
    log,
    now: Date.now,
    scriptThread,
    threads: new Slots(1),
    changed() {},
    failed() {},
    restartAfter: 1,
  }
  return new Agent(record, options)
}

describe('an agent whose script fails', () => {
  it('is given up after some restarts, with the reason, until it is enabled again', async () => {
    const one = agent('throw new Error("no way")')
    one.start()
    await until(
      () => one.shown,
      ({ status }) => status === 'failed',
    )
    expect(one.shown).toMatchObject({ status: 'failed', reason: 'Error: no way', restarts: 3, enabled: true })
    expect(one.isActive).toBe(false)
    one.start()
    expect(one.shown).toMatchObject({ status: 'active', restarts: 0 })
    one.stop()
  })
})
