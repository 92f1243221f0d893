import type { PlantedIncident } from '../incident.ts'
import { serveHttp } from '../stage/http-server.ts'
import { PostgresClient, servePostgres } from '../stage/postgres.ts'

/**
 * The link from orders to its database loses packets. Noise: the gateway has always rejected some requests, and its load
 * rises a little at the same time.
 */
export const packetLoss: PlantedIncident = {
  name: 'packet-loss',
  services: { web: 1, orders: 1, db: 1, catalog: 1 },
  truth: { kinds: ['packet_loss'], client: 'orders', server: 'db' },
  async play(stage) {
    const [web, orders] = [stage.client('web'), new PostgresClient(stage, 'orders', 'db')]
    await servePostgres(stage, 'db', async () => 'row')
    await serveHttp(stage, 'catalog', async () => ({ status: stage.random() < 0.05 ? 400 : 200 }))
    await serveHttp(stage, 'orders', async () => {
      await orders.query(`SELECT value FROM orders WHERE id = ${Math.floor(stage.random() * 1000)}`)
      await orders.query("UPDATE orders SET state = 'paid' WHERE id = 7")
      return {}
    })
    stage.every(30, () => web.get('orders', '/orders/7'))
    stage.every(
      () => (stage.isFaulty ? 30 : 38),
      () => web.get('catalog', '/items'),
    )
    void stage.fault.then(() =>
      stage.rule(
        `ip saddr ${stage.pod('orders').ip} ip daddr ${stage.pod('db').ip} numgen random mod 100 < 9 drop`,
      ),
    )
  },
}
