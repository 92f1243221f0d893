import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { GrpcClient, serveGrpc } from '../stage/grpc.ts'
import { serveHttp } from '../stage/http-server.ts'

/**
 * A new configuration of the frontend gives its calls 50 ms, where the server has always needed 30 to 90. Noise: another
 * client of the same server with enough time, and a search that is slow.
 */
export const grpcDeadline: PlantedIncident = {
  name: 'grpc-deadline',
  services: { web: 1, frontend: 1, mobile: 1, recommend: 1, search: 1 },
  truth: { kinds: ['deadline'], client: 'frontend', server: 'recommend' },
  async play(stage) {
    const web = stage.client('web')
    await serveGrpc(stage, 'recommend', () => 30 + 60 * stage.random())
    const [frontend, mobile] = ['frontend', 'mobile'].map((name) => new GrpcClient(stage, name, 'recommend'))
    if (!frontend || !mobile) return
    const path = '/shop.Recommend/List'
    await serveHttp(stage, 'frontend', async () => {
      const status = await frontend.call(path, stage.isFaulty ? 50 : 1000)
      return { status: status === '0' ? 200 : 504 }
    })
    await serveHttp(stage, 'search', async () => {
      await sleep(150 + 150 * stage.random())
      return {}
    })
    stage.every(40, () => web.get('frontend', '/home'))
    stage.every(60, () => mobile.call(path, 1000))
    stage.every(200, () => web.get('search', '/search'))
  },
}
