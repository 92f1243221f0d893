import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

/** Longer packets vanish on the way, without a word to their sender. */
const MTU = 1000
const DOCUMENT = 'x'.repeat(1300)

/**
 * Packets longer than 1000 bytes from web to storage vanish. Small requests work; uploads hang. Noise: uploads have always
 * been slower than downloads, and the index rejects some requests.
 */
export const mtuBlackHole: PlantedIncident = {
  name: 'mtu-black-hole',
  services: { web: 1, storage: 1, index: 1 },
  truth: { kinds: ['mtu_black_hole'], client: 'web', server: 'storage' },
  async play(stage) {
    const web = stage.client('web')
    await serveHttp(stage, 'storage', async (_, { method }) => {
      await sleep(method === 'PUT' ? 25 : 2)
      return {}
    })
    await serveHttp(stage, 'index', async () => ({ status: stage.random() < 0.05 ? 409 : 200 }))
    stage.every(40, () => web.get('storage', '/documents/1'))
    stage.every(90, () =>
      web.get('storage', '/documents/1', { method: 'PUT', body: DOCUMENT, timeout: 2500 }),
    )
    stage.every(40, () => web.get('index', '/search'))
    void stage.fault.then(() =>
      stage.rule(
        `ip saddr ${stage.pod('web').ip} ip daddr ${stage.pod('storage').ip} ip length > ${MTU} drop`,
      ),
    )
  },
}
