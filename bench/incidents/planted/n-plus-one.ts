import { setTimeout as sleep } from 'node:timers/promises'
import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { PostgresClient, servePostgres } from '../stage/postgres.ts'

const ITEMS = 12

/**
 * A release of the shop asks the database once for each item of a list instead of once for all. Noise: a batch job that
 * reads the same database begins a little earlier, and the web sends a few more requests.
 */
export const nPlusOne: PlantedIncident = {
  name: 'n-plus-one',
  services: { web: 1, shop: 1, db: 1, batch: 1, mail: 1 },
  truth: { kinds: ['n_plus_one', 'more_calls'], client: 'shop', server: 'db' },
  async play(stage) {
    const web = stage.client('web')
    const [shop, batch] = [new PostgresClient(stage, 'shop', 'db'), new PostgresClient(stage, 'batch', 'db')]
    await servePostgres(stage, 'db', async () => {
      await sleep(1 + stage.random())
      return 'row'
    })
    await serveHttp(stage, 'shop', async () => {
      const headers = { 'x-release': stage.isFaulty ? '1.5.0' : '1.4.2' }
      await shop.query("SELECT id FROM items WHERE list = 'new' LIMIT 12")
      for (let item = 0; stage.isFaulty && item < ITEMS; item++)
        await shop.query(`SELECT value FROM prices WHERE item = ${item}`)
      return { headers }
    })
    await serveHttp(stage, 'mail', async () => ({ status: stage.random() < 0.04 ? 503 : 200 }))
    stage.every(
      () => (stage.isFaulty ? 60 : 70),
      () => web.get('shop', '/items'),
    )
    stage.every(40, () => web.get('mail', '/send', { method: 'POST', body: 'hello' }))
    stage.every(200, () => batch.query("SELECT value FROM orders WHERE state = 'new'"))
  },
}
