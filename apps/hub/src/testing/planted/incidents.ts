import type { HttpAnswer, MadeTraffic, Place } from './made-traffic.ts'
import { LENGTH, ONSET, playShop, times } from './shop.ts'

/** What the first suspect has to name. */
export interface Truth {
  readonly server?: string
  readonly client?: string
  /** In its title. */
  readonly text?: string
}

export interface PlantedIncident {
  readonly name: string
  readonly truth: Truth
  /** Independent faults; default: 1. */
  readonly faults?: number
  /** The fault is there from the first second, so that nothing in the window can be compared with. */
  readonly hasNoBaseline?: true
  play(made: MadeTraffic): void
}

const DEADLOCK = { status: 500, latency: 12, body: '{"error":"deadlock detected","retry":true}' }

/** THE list of incidents. */
export const incidents: readonly PlantedIncident[] = [
  {
    name: 'deep dependency, no baseline',
    hasNoBaseline: true,
    truth: { client: 'checkout', server: 'inventory', text: 'deadlock detected' },
    play(made) {
      const { visitor, frontend, dns } = playShop(made, {
        inventory: () => (made.chance(0.24) ? DEADLOCK : undefined),
        payments: () => (made.chance(0.05) ? { status: 402 } : undefined),
      })
      for (const at of times(made, 25))
        made.http(at, visitor, frontend, { path: '/products/unicorn', status: 404 })
      for (const at of times(made, 20))
        made.lookup(at, visitor, dns, 'catalogue.shop.svc.cluster.local', false)
    },
  },
  {
    name: 'one bad pod of three',
    hasNoBaseline: true,
    truth: { server: 'orders', text: 'orders-1' },
    play(made) {
      const [web, pods] = [made.pod('web'), podsOf(made, 'orders', 3)]
      for (const at of times(made, 600)) {
        const pod = made.oneOf(pods)
        made.http(
          at,
          web,
          pod,
          pod === pods[1] && made.chance(0.5) ? { status: 503 } : { latency: made.between(2, 9) },
        )
      }
    },
  },
  {
    name: 'one bad node: failing',
    hasNoBaseline: true,
    truth: { text: 'node-b' },
    play: (made) => onNodes(made, () => (made.chance(0.4) ? { status: 502, latency: 30 } : undefined)),
  },
  {
    name: 'one bad node: slow',
    hasNoBaseline: true,
    truth: { text: 'node-b' },
    play: (made) => onNodes(made, () => ({ latency: made.between(120, 240) })),
  },
  {
    name: 'one bad version',
    hasNoBaseline: true,
    truth: { server: 'orders', text: '1.9.0' },
    play(made) {
      const web = made.pod('web')
      const old = ['abcde', 'bcdef', 'cdefg'].map((id) => made.pod('orders', `orders-7d9c5f6b8d-${id}`))
      const fresh = ['qwert', 'wertz'].map((id) => made.pod('orders', `orders-5b8f7c9d4f-${id}`))
      for (const at of times(made, 700)) {
        const isNew = made.chance(0.4)
        const answer = isNew && made.chance(0.3) ? { status: 500 } : { latency: made.between(2, 9) }
        const headers = { 'x-version': isNew ? '1.9.0' : '1.8.0' }
        made.http(at, web, made.oneOf(isNew ? fresh : old), { ...answer, headers })
      }
    },
  },
  {
    name: 'one caller of three',
    hasNoBaseline: true,
    truth: { client: 'mobile', server: 'billing' },
    play(made) {
      const [web, mobile, batch] = ['web', 'mobile', 'batch'].map((name) => made.pod(name)) as [
        Place,
        Place,
        Place,
      ]
      const billing = made.pod('billing')
      for (const at of times(made, 600)) {
        const caller = made.oneOf([web, web, mobile, batch])
        const isRefused = caller === mobile && made.chance(0.7)
        made.http(at, caller, billing, isRefused ? { path: '/bills', status: 401 } : { path: '/bills' })
      }
    },
  },
  {
    name: 'SQL errors with text of the server',
    hasNoBaseline: true,
    truth: { client: 'orders', server: 'db', text: 'deadlock detected' },
    play(made) {
      const [web, orders, db] = [made.pod('web'), made.pod('orders'), made.pod('db')]
      const error = ['40P01', 'deadlock detected'] as const
      for (const at of times(made, 500)) {
        const isStuck = made.chance(0.15)
        const statement = 'UPDATE stock SET left = left - 1 WHERE id = 7'
        made.sql(at + 2, orders, db, { statement, ...(isStuck && { error }) })
        made.sql(at + 1, orders, db, { statement: 'SELECT price FROM items' })
        made.http(at, web, orders, {
          method: 'POST',
          path: '/orders',
          status: isStuck ? 500 : 201,
          latency: 12,
        })
      }
    },
  },
  {
    name: 'delays at one path only',
    truth: { client: 'frontend', server: 'catalog', text: '/products/sofa' },
    play(made) {
      const [visitor, frontend, catalog] = ['visitor', 'frontend', 'catalog'].map((name) =>
        made.pod(name),
      ) as [Place, Place, Place]
      for (const at of times(made, 700)) {
        const path = made.oneOf(['/products', '/products/lamp', '/products/sofa', '/products/sofa'])
        const isSlow = path.endsWith('sofa') && at >= ONSET
        const latency = isSlow ? made.between(700, 900) : made.between(8, 16)
        made.http(at + 1, frontend, catalog, { path, latency })
        made.http(at, visitor, frontend, { path, latency: latency + 3 })
      }
    },
  },
  {
    name: 'retry storm',
    truth: { client: 'checkout', server: 'payments' },
    play(made) {
      const [gateway, checkout, payments] = ['gateway', 'checkout', 'payments'].map((name) =>
        made.pod(name),
      ) as [Place, Place, Place]
      for (const at of times(made, 400)) {
        let isDone = false
        for (let turn = 0; turn < 3 && !isDone; turn++) {
          for (let again = 0; again < 3 && !isDone; again++) {
            isDone = at < ONSET || made.chance(0.3)
            const when = at + 2 + turn * 200 + again * 40
            made.http(when, checkout, payments, {
              method: 'POST',
              path: '/payments',
              status: isDone ? 200 : 503,
            })
          }
          const status = isDone ? 201 : 503
          made.http(at + turn * 200, gateway, checkout, {
            method: 'POST',
            path: '/orders',
            status,
            latency: 130,
          })
        }
      }
    },
  },
  {
    name: 'one refused connect in noise',
    hasNoBaseline: true,
    truth: { client: 'checkout', server: 'inventory' },
    play(made) {
      const { inventory } = playShop(made, { inventory: () => (made.chance(0.24) ? DEADLOCK : undefined) })
      made.refused(LENGTH - 60, made.outside(), inventory)
    },
  },
  {
    name: 'what users lose before what a batch loses',
    faults: 2,
    hasNoBaseline: true,
    truth: { client: 'checkout', server: 'payments' },
    play(made) {
      const { catalog } = playShop(made, {
        payments: () =>
          made.chance(0.3) ? { status: 502, body: '{"message":"acquirer unreachable"}' } : undefined,
      })
      const [cron, archive] = [made.pod('nightly'), made.pod('archive')]
      for (const at of times(made, 30)) made.http(at, cron, archive, { path: '/store', status: 500 })
      for (const at of times(made, 30)) made.http(at, cron, catalog, { path: '/products' })
    },
  },
  {
    name: 'a new fault beside old ones',
    truth: { client: 'checkout', server: 'inventory' },
    play(made) {
      const { visitor, frontend } = playShop(made, {
        inventory: (at) => (at >= ONSET && made.chance(0.2) ? DEADLOCK : undefined),
      })
      const [ads, tracker] = [made.pod('ads'), made.pod('tracker')]
      for (const at of times(made, 300))
        made.http(at, frontend, ads, { path: '/ad', status: made.chance(0.6) ? 503 : 200 })
      for (const at of times(made, 200))
        made.http(at, visitor, tracker, { path: '/hit', status: made.chance(0.3) ? 500 : 204 })
    },
  },
  {
    name: 'forty addresses of clients',
    hasNoBaseline: true,
    truth: { server: 'frontend', text: 'session store unavailable' },
    play(made) {
      const frontend = made.pod('frontend')
      const visitors = Array.from({ length: 40 }, () => made.outside())
      for (const at of times(made, 800)) {
        const isLogin = made.chance(0.3)
        const fails = isLogin && made.chance(0.35)
        const body = fails ? 'session store unavailable' : '{}'
        made.http(at, made.oneOf(visitors), frontend, {
          path: isLogin ? '/login' : '/',
          status: fails ? 500 : 200,
          body,
        })
      }
    },
  },
]

function podsOf(made: MadeTraffic, service: string, count: number): Place[] {
  return Array.from({ length: count }, (_, at) => made.pod(service, `${service}-${at}`))
}

/** Three services with a pod on each of three nodes; of the pods on node-b something is wrong. */
function onNodes(made: MadeTraffic, fault: () => HttpAnswer | undefined): void {
  const web = made.pod('web', 'web-0', 'node-a')
  const services = ['cart', 'catalog', 'pricing'].map((service) =>
    ['node-a', 'node-b', 'node-c'].map((node, at) => made.pod(service, `${service}-${at}`, node)),
  )
  for (const at of times(made, 900)) {
    const pod = made.oneOf(made.oneOf(services))
    const wrong = pod.node === 'node-b' ? fault() : undefined
    made.http(at, web, pod, { path: '/api', latency: made.between(8, 20), ...wrong })
  }
}
