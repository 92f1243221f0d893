import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { lookup, serveDns } from '../stage/dns.ts'
import { serveHttp } from '../stage/http-server.ts'

/** A release that works: another version in a header, connections closed and opened again, names looked up again. */
export const healthyRollout: PlantedIncident = {
  name: 'healthy-rollout',
  services: { web: 1, shop: 2, mail: 1, dns: 1 },
  async play(stage) {
    const web = stage.client('web')
    await serveDns(stage, 'dns', (name) =>
      name === 'shop.svc' ? stage.pod('shop', stage.random() < 0.5 ? 0 : 1).ip : undefined,
    )
    const servers = await serveHttp(stage, 'shop', async () => {
      await sleep(5 + 5 * stage.random())
      const version = stage.isFaulty ? '2.1.0' : '2.0.3'
      return { headers: { 'x-release': version }, status: stage.random() < 0.03 ? 404 : 200 }
    })
    await serveHttp(stage, 'mail', async () => ({ status: stage.random() < 0.04 ? 500 : 200 }))
    stage.every(30, () => web.get('shop', '/items'))
    stage.every(60, () => web.get('mail', '/send', { method: 'POST', body: 'x' }))
    stage.every(300, async () => {
      await lookup(stage, 'web', 'dns', 'shop.svc.cluster.local')
      await lookup(stage, 'web', 'dns', 'shop.svc')
    })
    void stage.fault.then(() => {
      for (const server of servers) server.closeIdleConnections()
    })
  },
}
