import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { RedisClient, serveRedis } from '../stage/redis.ts'

const DOWN_MS = 900
const KEYS = 60

/**
 * The cache restarts empty. While it is away its clients are refused, and then all of them ask the store for everything at
 * once, which becomes slow. Noise: the store was always slower for one of them; one service has steady errors.
 */
export const thunderingHerd: PlantedIncident = {
  name: 'thundering-herd',
  services: { web: 1, shop: 1, feed: 1, cache: 1, store: 1, mail: 1 },
  truth: { kinds: ['unanswered', 'connection_failed', 'restart'], server: 'cache' },
  async play(stage) {
    const web = stage.client('web')
    const values = new Map<string, string>()
    const { server, sockets } = await serveRedis(stage, 'cache', values)
    let busy = 0
    await serveHttp(stage, 'store', async () => {
      busy++
      await sleep(5 + 6 * busy)
      busy--
      return { body: '{"value":1}' }
    })
    for (const service of ['shop', 'feed']) {
      const [cache, client] = [new RedisClient(stage, service, 'cache'), stage.client(service)]
      await serveHttp(stage, service, async () => {
        const key = `${Math.floor(stage.random() * KEYS)}`
        const known = await cache.get(key).catch(() => undefined)
        if (known !== undefined) return { body: known }
        const { body } = await client.get('store', `/values/${key}`)
        await cache.set(key, body).catch(() => undefined)
        return { body }
      })
      stage.every(18, () => web.get(service, '/page'))
    }
    await serveHttp(stage, 'mail', async () => ({ status: stage.random() < 0.05 ? 500 : 200 }))
    stage.every(50, () => web.get('mail', '/send', { method: 'POST', body: 'x' }))
    void stage.fault.then(async () => {
      server.close()
      for (const socket of sockets) socket.resetAndDestroy()
      values.clear()
      await sleep(DOWN_MS)
      await serveRedis(stage, 'cache', values)
    })
  },
}
