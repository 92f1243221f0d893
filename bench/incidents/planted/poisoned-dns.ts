import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { lookup, serveDns } from '../stage/dns.ts'
import { serveHttp } from '../stage/http-server.ts'

/**
 * The name server gives checkout the address of another service for payments. That one knows nothing of payments. Noise:
 * lookups through a search domain have always failed, and the real payments service is slow at times.
 */
export const poisonedDns: PlantedIncident = {
  name: 'poisoned-dns',
  services: { web: 1, checkout: 1, payments: 1, archive: 1, dns: 1 },
  truth: { kinds: ['dns_answer_changed'], client: 'checkout', server: 'dns' },
  async play(stage) {
    const [web, checkout] = [stage.client('web'), stage.client('checkout')]
    await serveDns(stage, 'dns', (name) => {
      if (name === 'payments.shop.svc') return stage.pod(stage.isFaulty ? 'archive' : 'payments').ip
      return name === 'archive.shop.svc' ? stage.pod('archive').ip : undefined
    })
    await serveHttp(stage, 'payments', async () => {
      await sleep(stage.random() < 0.1 ? 60 : 5)
      return { body: '{"paid":true}' }
    })
    await serveHttp(stage, 'archive', async (path) => ({ status: path === '/pay' ? 404 : 200 }))
    await serveHttp(stage, 'checkout', async () => {
      await lookup(stage, 'checkout', 'dns', 'payments.shop.svc.cluster.local')
      const ip = await lookup(stage, 'checkout', 'dns', 'payments.shop.svc')
      const options = { method: 'POST', body: '{}', ...(ip !== undefined && { ip }) }
      const { status } = await checkout.get('payments', '/pay', options)
      return { status: status === 200 ? 200 : 502 }
    })
    stage.every(50, () => web.get('checkout', '/orders', { method: 'POST', body: '{}' }))
    stage.every(120, () => web.get('archive', '/orders/1'))
  },
}
