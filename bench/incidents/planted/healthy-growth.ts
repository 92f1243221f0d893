import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { RedisClient, serveRedis } from '../stage/redis.ts'

const RISE_MS = 14_000

/** The load doubles in the course of the capture, and everything keeps up: more calls at each hop, nothing slower. */
export const healthyGrowth: PlantedIncident = {
  name: 'healthy-growth',
  services: { web: 1, shop: 1, cache: 1, pricing: 2 },
  async play(stage) {
    const began = performance.now()
    const [web, shop] = [stage.client('web'), stage.client('shop')]
    const cache = new RedisClient(stage, 'shop', 'cache')
    await serveRedis(stage, 'cache', new Map([['rate', '7']]))
    await serveHttp(stage, 'pricing', async () => {
      await sleep(4 + 4 * stage.random())
      return { status: stage.random() < 0.02 ? 404 : 200 }
    })
    await serveHttp(stage, 'shop', async (path) => {
      await cache.get('rate')
      return { status: (await shop.get('pricing', path)).status }
    })
    stage.every(
      () => 60 - 30 * Math.min(1, (performance.now() - began) / RISE_MS),
      () => web.get('shop', '/items/1'),
    )
  },
}
