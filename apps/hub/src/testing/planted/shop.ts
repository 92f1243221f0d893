import type { HttpAnswer, MadeTraffic, Place } from './made-traffic.ts'

/** Two minutes. */
export const LENGTH = 120_000
/** When a fault begins, where it has a beginning. */
export const ONSET = LENGTH / 2

export interface Shop {
  readonly visitor: Place
  readonly frontend: Place
  readonly catalog: Place
  readonly checkout: Place
  readonly inventory: Place
  readonly payments: Place
  readonly dns: Place
}

/** What goes wrong in an answer of a service at a time; absent: nothing. */
export type Fault = (at: number) => HttpAnswer | undefined

export interface ShopFaults {
  readonly catalog?: Fault
  readonly checkout?: Fault
  readonly inventory?: Fault
  readonly payments?: Fault
}

/** A shop as the demo has it: visits all the time, some of them checkouts, which need inventory and payments. */
export function playShop(made: MadeTraffic, faults: ShopFaults = {}, visits = 500): Shop {
  const shop: Shop = {
    visitor: made.pod('visitor'),
    frontend: made.pod('frontend'),
    catalog: made.pod('catalog'),
    checkout: made.pod('checkout'),
    inventory: made.pod('inventory'),
    payments: made.pod('payments'),
    dns: made.pod('dns', 'dns-0', 'node-a', 'kube-system'),
  }
  for (const at of times(made, visits))
    if (made.chance(0.5)) browse(made, shop, at, faults.catalog?.(at))
    else buy(made, shop, at, faults)
  return shop
}

/** Evenly over the two minutes, with some jitter. */
export function times(made: MadeTraffic, count: number, from = 0, to = LENGTH): number[] {
  const step = (to - from) / count
  return Array.from({ length: count }, (_, turn) => from + (turn + made.random() * 0.8) * step)
}

function browse(made: MadeTraffic, { visitor, frontend, catalog }: Shop, at: number, fault?: HttpAnswer) {
  const path = made.oneOf(['/products', '/products/lamp', '/products/sofa'])
  const answer = { path, latency: made.between(2, 9), ...fault }
  made.http(at, visitor, frontend, { ...answer, latency: answer.latency + 2 })
  made.http(at + 1, frontend, catalog, answer)
}

function buy(made: MadeTraffic, shop: Shop, at: number, faults: ShopFaults): void {
  const { visitor, frontend, checkout, inventory, payments } = shop
  const stock = { status: 201, latency: made.between(2, 20), ...faults.inventory?.(at) }
  made.http(at + 2, checkout, inventory, { method: 'POST', path: '/reservations', ...stock })
  let [status, spent] = [stock.status === 201 ? 201 : 500, stock.latency + 2]
  if (status === 201) {
    const paid = { status: 200, latency: made.between(60, 180), ...faults.payments?.(at) }
    made.http(at + 2 + spent, checkout, payments, { method: 'POST', path: '/payments', ...paid })
    spent += paid.latency
    if (paid.status !== 200) status = paid.status
  }
  const answer = { method: 'POST', status, latency: spent + 2, ...faults.checkout?.(at) }
  made.http(at + 1, frontend, checkout, { ...answer, path: '/orders' })
  made.http(at, visitor, frontend, { ...answer, path: '/checkout', latency: answer.latency + 3 })
}
