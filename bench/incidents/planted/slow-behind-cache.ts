import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { RedisClient, serveRedis } from '../stage/redis.ts'

/**
 * Pricing, two hops below the shop, became slow. Most requests of the shop are answered from the cache and stay fast, so its
 * median does not move. Noise: a search that has always been slower than all that.
 */
export const slowBehindCache: PlantedIncident = {
  name: 'slow-behind-cache',
  services: { web: 1, shop: 1, cache: 1, catalog: 1, pricing: 1, search: 1 },
  truth: { kinds: ['slower'], client: 'catalog', server: 'pricing' },
  async play(stage) {
    const [web, shop, catalog] = [stage.client('web'), stage.client('shop'), stage.client('catalog')]
    const cache = new RedisClient(stage, 'shop', 'cache')
    await serveRedis(stage, 'cache', new Map())
    await serveHttp(stage, 'pricing', async () => {
      await sleep(stage.isFaulty ? 140 + 40 * stage.random() : 3 + 3 * stage.random())
      return { body: '{"price":9}' }
    })
    await serveHttp(stage, 'catalog', async (path) => catalog.get('pricing', path))
    await serveHttp(stage, 'search', async () => {
      await sleep(200 + 100 * stage.random())
      return {}
    })
    await serveHttp(stage, 'shop', async (path) => {
      // Three of four keys are in the cache after a moment; the others are new each time.
      const key = stage.random() < 0.25 ? `new:${stage.random()}` : `item:${Math.floor(stage.random() * 10)}`
      const known = await cache.get(key)
      if (known !== undefined) return { body: known }
      const { body } = await shop.get('catalog', path)
      await cache.set(key, body)
      return { body }
    })
    stage.every(20, () => web.get('shop', '/items/1'))
    stage.every(250, () => web.get('search', '/search?q=x'))
  },
}
