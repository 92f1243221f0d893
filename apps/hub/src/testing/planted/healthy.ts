import type { MadeTraffic } from './made-traffic.ts'
import { LENGTH, ONSET, playShop, type Shop, times } from './shop.ts'

export interface HealthyCapture {
  readonly name: string
  play(made: MadeTraffic): void
}

const SEARCH = ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local']

/** THE list of healthy captures: a shop that works, with something beside it that looks odd and is not. */
export const healthyCaptures: readonly HealthyCapture[] = [
  withShop('steady', () => {}),
  withShop('search domains', (made, { frontend, dns }) => {
    for (const at of times(made, 150)) {
      const name = made.oneOf(['api.example.com', 'pay.example.com'])
      for (const [turn, domain] of SEARCH.entries())
        made.lookup(at + turn, frontend, dns, `${name}.${domain}`, false)
      made.lookup(at + 4, frontend, dns, name, true)
    }
  }),
  withShop('a Job runs for a while', (made, { catalog }) => {
    const job = made.pod('reindex', 'reindex-28x9k')
    for (const at of times(made, 400, ONSET, ONSET + 20_000))
      made.http(at, job, catalog, { path: '/products' })
  }),
  withShop('bots ask for what does not exist', (made, { frontend }) => {
    const bots = Array.from({ length: 5 }, () => made.outside())
    for (const at of times(made, 150)) {
      const path = made.oneOf(['/wp-login.php', '/.env', '/admin.php', '/phpmyadmin'])
      made.http(at, made.oneOf(bots), frontend, { path, status: 404 })
    }
  }),
  withShop('a bot begins', (made, { frontend }) => {
    const bot = made.outside()
    for (const at of times(made, 90, ONSET))
      made.http(at, bot, frontend, {
        path: made.oneOf(['/wp-login.php', '/.env', '/xmlrpc.php']),
        status: 404,
      })
  }),
  {
    name: 'a rollout without effect',
    play(made) {
      const web = made.pod('web')
      const old = ['abcde', 'bcdef'].map((id) => made.pod('orders', `orders-7d9c5f6b8d-${id}`))
      const fresh = ['qwert', 'wertz'].map((id) => made.pod('orders', `orders-5b8f7c9d4f-${id}`))
      for (const at of times(made, 600)) {
        const isNew = at >= ONSET
        const headers = { 'x-version': isNew ? '1.9.0' : '1.8.0' }
        const fails = made.chance(0.004)
        made.http(at, web, made.oneOf(isNew ? fresh : old), {
          latency: made.between(4, 12),
          headers,
          status: fails ? 500 : 200,
        })
      }
    },
  },
  {
    name: 'twice the load',
    play(made) {
      playShop(made, {}, 300)
      const more = made.pod('visitor', 'visitor-1')
      const frontend = made.pod('frontend', 'frontend-1')
      for (const at of times(made, 300, ONSET))
        made.http(at, more, frontend, { path: '/products', latency: made.between(4, 11) })
    },
  },
  withShop('one refused connect', (made, { inventory }) => {
    made.refused(LENGTH - 60, made.outside(), inventory)
  }),
  withShop('a few scattered errors', (made, { frontend, visitor }) => {
    for (const at of times(made, 3)) made.http(at, visitor, frontend, { path: '/products', status: 500 })
  }),
  {
    name: 'cards are declined',
    play(made) {
      playShop(made, { payments: () => (made.chance(0.08) ? { status: 402 } : undefined) })
    },
  },
  withShop('a challenge before each token', (made, { visitor }) => {
    const registry = made.pod('registry')
    for (const at of times(made, 150)) {
      made.http(at, visitor, registry, { path: '/v2/manifests', status: 401 })
      made.http(at + 20, visitor, registry, { path: '/v2/manifests' })
    }
  }),
  withShop('load that rises slowly', (made, { visitor, frontend }) => {
    for (let part = 0; part < 6; part++)
      for (const at of times(made, 20 * part + 5, part * 20_000, (part + 1) * 20_000))
        made.http(at, visitor, frontend, { path: '/products', latency: made.between(4, 11) })
  }),
  {
    name: 'one more pod',
    play(made) {
      const web = made.pod('web')
      const pods = [0, 1, 2].map((at) => made.pod('orders', `orders-${at}`))
      for (const at of times(made, 600))
        made.http(at, web, made.oneOf(at < ONSET ? pods.slice(0, 2) : pods), { latency: made.between(4, 12) })
    },
  },
  withShop('a new caller', (made, { catalog }) => {
    const report = made.pod('report', 'report-0', 'node-a', 'office')
    for (const at of times(made, 40, ONSET)) made.http(at, report, catalog, { path: '/products' })
  }),
  withShop('one path is always slow', (made, { visitor, frontend }) => {
    for (const at of times(made, 120))
      made.http(at, visitor, frontend, { path: '/report', latency: made.between(700, 1400) })
  }),
  withShop('a cache that misses', (made, { frontend }) => {
    const cache = made.pod('cache')
    for (const at of times(made, 400))
      made.http(at, frontend, cache, {
        path: '/page',
        latency: made.chance(0.15) ? made.between(80, 200) : 1,
      })
  }),
  withShop('users who do not exist', (made, { frontend }) => {
    const users = made.pod('users')
    for (const at of times(made, 300)) {
      const path = `/users/${Math.floor(made.between(1000, 9000))}`
      made.http(at, frontend, users, { path, status: made.chance(0.2) ? 404 : 200 })
    }
  }),
  withShop('a batch ends', (made, { catalog }) => {
    const batch = made.pod('batch')
    for (const at of times(made, 100, 0, ONSET)) made.http(at, batch, catalog, { path: '/products' })
  }),
  withShop('a pod that is not ready at first', (made, { visitor }) => {
    const kubelet = made.outside()
    const fresh = made.pod('orders', 'orders-5b8f7c9d4f-qwert')
    for (const at of times(made, 4, ONSET, ONSET + 4000))
      made.http(at, kubelet, fresh, { path: '/readyz', status: 503 })
    for (const at of times(made, 56, ONSET + 4000)) made.http(at, kubelet, fresh, { path: '/readyz' })
    for (const at of times(made, 100, ONSET + 6000)) made.http(at, visitor, fresh, { path: '/orders' })
  }),
  withShop('keys that exist already', (made, { checkout }) => {
    const db = made.pod('db')
    const error = ['23505', 'duplicate key value violates unique constraint "orders_pkey"'] as const
    for (const at of times(made, 300))
      made.sql(at, checkout, db, {
        statement: 'INSERT INTO orders VALUES (7)',
        ...(made.chance(0.12) && { error }),
      })
  }),
  withShop('a limit that is reached now and then', (made, { visitor, frontend }) => {
    for (const at of times(made, 300))
      made.http(at, visitor, frontend, { path: '/search', status: made.chance(0.03) ? 429 : 200 })
  }),
  withShop('responses of all sizes', (made, { visitor, frontend }) => {
    for (const at of times(made, 150))
      made.http(at, visitor, frontend, {
        path: '/export',
        body: 'x'.repeat(Math.floor(made.between(10, 30_000))),
      })
  }),
]

function withShop(name: string, more: (made: MadeTraffic, shop: Shop) => void): HealthyCapture {
  return { name, play: (made: MadeTraffic) => more(made, playShop(made)) }
}
