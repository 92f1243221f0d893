import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

const MAX_CONNECTIONS = 30

/**
 * A release of checkout opens a connection for each payment and never closes it. Billing accepts no more than 30, and then
 * drops new ones. Noise: catalog has always answered one request in thirty with 404; a report has always been slow.
 */
export const leakingPool: PlantedIncident = {
  name: 'leaking-pool',
  services: { web: 1, checkout: 1, billing: 1, catalog: 1, reports: 1 },
  truth: { kinds: ['leaking_connections'], client: 'checkout', server: 'billing' },
  async play(stage) {
    const [checkout, web] = [stage.client('checkout'), stage.client('web')]
    const [billing] = await serveHttp(stage, 'billing', async () => ({ body: '{"paid":true}' }))
    if (billing) billing.maxConnections = MAX_CONNECTIONS
    await serveHttp(stage, 'catalog', async () => ({ status: stage.random() < 1 / 30 ? 404 : 200 }))
    await serveHttp(stage, 'reports', async () => {
      await sleep(300 + 200 * stage.random())
      return {}
    })
    await serveHttp(stage, 'checkout', async () => {
      // The leak: an agent of its own, whose connection is never used again and never closed.
      const agent = stage.isFaulty ? { agent: new Agent({ keepAlive: true }) } : {}
      await checkout.get('billing', '/pay', { method: 'POST', body: '{"amount":10}', ...agent })
      return {}
    })
    stage.every(40, () => web.get('checkout', '/orders', { method: 'POST', body: '{}' }))
    stage.every(25, () => web.get('catalog', '/items'))
    stage.every(400, () => web.get('reports', '/daily'))
  },
}
