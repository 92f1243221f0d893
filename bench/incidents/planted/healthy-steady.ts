import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { PostgresClient, servePostgres } from '../stage/postgres.ts'

/** Nothing changes: steady load, steady errors, one slow service. */
export const healthySteady: PlantedIncident = {
  name: 'healthy-steady',
  services: { web: 1, shop: 2, db: 1, mail: 1 },
  async play(stage) {
    const [web, db] = [stage.client('web'), new PostgresClient(stage, 'shop', 'db')]
    await servePostgres(stage, 'db', async () => 'row')
    await serveHttp(stage, 'shop', async () => {
      await db.query('SELECT value FROM items WHERE id = 7')
      return { status: stage.random() < 0.03 ? 404 : 200 }
    })
    await serveHttp(stage, 'mail', async () => {
      await sleep(100 + 150 * stage.random())
      return { status: stage.random() < 0.05 ? 503 : 200 }
    })
    stage.every(20, () => web.get('shop', '/items/7'))
    stage.every(80, () => web.get('mail', '/send', { method: 'POST', body: 'x' }))
  },
}
