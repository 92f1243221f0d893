import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

const PARTITIONS = 3
const WORK_MS = 14

/**
 * A store with three partitions by key, each of which does one thing at a time. One key becomes popular, and its partition
 * has a queue. Noise: the total load does not change; another service always has one pod with a few errors.
 */
export const hotPartition: PlantedIncident = {
  name: 'hot-partition',
  services: { web: 1, profiles: 1, store: PARTITIONS, images: 2 },
  truth: { kinds: ['hot_replica', 'replica'], server: 'store' },
  async play(stage) {
    const [web, profiles] = [stage.client('web'), stage.client('profiles')]
    const queues = new Map<string, Promise<unknown>>()
    await serveHttp(stage, 'store', async (_, __, pod) => {
      const work = (queues.get(pod.name) ?? Promise.resolve()).then(() => sleep(WORK_MS))
      queues.set(pod.name, work)
      await work
      return {}
    })
    await serveHttp(stage, 'profiles', async (path) => {
      const key = Number(path.split('/').at(-1))
      return profiles.get('store', `/keys/${key}`, { pod: key % PARTITIONS })
    })
    await serveHttp(stage, 'images', async (_, __, pod) => ({
      status: pod.name === 'images-1' && stage.random() < 0.06 ? 500 : 200,
    }))
    stage.every(9, () => {
      const key = stage.isFaulty && stage.random() < 0.85 ? 7 : Math.floor(stage.random() * 300)
      return web.get('profiles', `/profiles/${key}`)
    })
    stage.every(40, () => web.get('images', '/logo.png'))
  },
}
