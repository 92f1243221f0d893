import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'

const LIMIT_PER_SECOND = 24

/**
 * One tenant begins to flood the gateway. The rate limiter of the gateway counts all tenants together and rejects the
 * others, while the one that floods is on its list of exceptions. Noise: the flood itself, and a slow export.
 */
export const wrongTenant: PlantedIncident = {
  name: 'wrong-tenant',
  services: { acme: 1, globex: 1, gateway: 1, backend: 1, export: 1 },
  truth: { kinds: ['rate_limited'], client: 'globex', server: 'gateway' },
  async play(stage) {
    const [acme, globex, gateway] = ['acme', 'globex', 'gateway'].map((name) => stage.client(name))
    if (!acme || !globex || !gateway) return
    await serveHttp(stage, 'backend', async () => {
      await sleep(2 + 2 * stage.random())
      return {}
    })
    let second = 0
    let seen = 0
    await serveHttp(stage, 'gateway', async (path, { headers }) => {
      const now = Math.floor(Date.now() / 1000)
      if (now !== second) seen = 0
      second = now
      const isException = headers['x-tenant'] === 'acme'
      if (++seen > LIMIT_PER_SECOND && !isException) return { status: 429, body: '{"error":"rate limit"}' }
      return { status: (await gateway.get('backend', path)).status }
    })
    await serveHttp(stage, 'export', async () => {
      await sleep(250 + 100 * stage.random())
      return {}
    })
    const call = (client: typeof acme, tenant: string) => () =>
      client.get('gateway', '/items', { headers: { 'x-tenant': tenant } })
    stage.every(() => (stage.isFaulty ? 8 : 150), call(acme, 'acme'))
    stage.every(100, call(globex, 'globex'))
    stage.every(300, () => globex.get('export', '/all'))
  },
}
