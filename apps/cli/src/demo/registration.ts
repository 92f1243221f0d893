import { setTimeout as sleep } from 'node:timers/promises'
import type { HubClient } from '../hub/hub-client.ts'
import { shopInventory } from './shop.ts'

const againMs = 3000

/** Tells the hub who is who, as soon as one answers, and again when a hub does not know (any more). */
export async function keepRegistered(
  hub: HubClient,
  signal: AbortSignal,
  told: (outcome: 'named' | 'unanswered') => void,
): Promise<void> {
  const { pods, services } = shopInventory()
  let last: 'named' | 'unanswered' | undefined
  while (!signal.aborted) {
    let outcome: typeof last = 'named'
    try {
      if (!knows(await hub.call('get_inventory', {}), pods[0]!.name))
        await hub.call('set_inventory', { source: 'demo', pods: [...pods], services: [...services] })
    } catch {
      outcome = 'unanswered'
    }
    if (outcome !== last) told(outcome)
    last = outcome
    await sleep(againMs, undefined, { signal }).catch(() => undefined)
  }
}

function knows(inventory: unknown, pod: string): boolean {
  return JSON.stringify(inventory).includes(`"${pod}"`)
}
