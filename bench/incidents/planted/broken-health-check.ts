import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

/**
 * A release of two of three pods of orders answers the health check with 404, though it serves. The balancer takes them out,
 * and the third has all the load, one request at a time. Noise: the load itself does not change; mail has steady errors.
 */
export const brokenHealthCheck: PlantedIncident = {
  name: 'broken-health-check',
  services: { web: 1, balancer: 1, orders: 3, mail: 1 },
  truth: { kinds: ['health_check'], client: 'balancer', server: 'orders' },
  async play(stage) {
    const [web, balancer] = [stage.client('web'), stage.client('balancer')]
    const healthy = new Set([0, 1, 2])
    const queues = new Map<string, Promise<unknown>>()
    await serveHttp(stage, 'orders', async (path, _, { name }) => {
      if (path === '/healthz') return { status: stage.isFaulty && name !== 'orders-0' ? 404 : 200 }
      const work = (queues.get(name) ?? Promise.resolve()).then(() => sleep(9))
      queues.set(name, work)
      await work
      return {}
    })
    let turn = 0
    await serveHttp(stage, 'balancer', async (path) => {
      const pods = healthy.size === 0 ? [0, 1, 2] : [...healthy].sort()
      const pod = pods[turn++ % pods.length] ?? 0
      return { status: (await balancer.get('orders', path, { pod, timeout: 1500 })).status }
    })
    for (const pod of [0, 1, 2])
      stage.every(250, async () => {
        const { status } = await balancer.get('orders', '/healthz', { pod })
        if (status === 200) healthy.add(pod)
        else healthy.delete(pod)
      })
    await serveHttp(stage, 'mail', async () => ({ status: stage.random() < 0.05 ? 500 : 200 }))
    stage.every(11, () => web.get('balancer', '/orders/1'))
    stage.every(50, () => web.get('mail', '/send', { method: 'POST', body: 'x' }))
  },
}
