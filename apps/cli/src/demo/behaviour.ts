import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Outgoing } from './outgoing.ts'
import type { ShopService } from './shop.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** What a service does with a request: it answers, perhaps after asking others. */
export type Behaviour = (asked: Asked, others: Outgoing) => Promise<Answer> | Answer

const products = ['lamp', 'chair', 'mirror', 'bench', 'sofa', 'clock']
const chance = (share: number) => Math.random() < share
const between = (least: number, most: number) => least + Math.random() * (most - least)
const notFound: Answer = { status: 404, body: { error: 'not found' } }
const last = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** THE list of services and what they do while the shop is healthy. Payments are slow, and cards are declined at times. */
export const behaviours: Readonly<Record<Exclude<ShopService, 'dns'>, Behaviour>> = {
  frontend(asked, others) {
    const { method, path, body } = asked
    if (path === '/') return others.call('catalog', 'GET', '/products')
    if (path.startsWith('/products/')) return others.call('catalog', 'GET', path)
    if (path === '/cart') return others.call('cart', method, '/cart/items', body)
    if (path === '/checkout') return others.call('checkout', 'POST', '/orders', body)
    return notFound
  },
  async catalog({ path }) {
    await sleep(between(1, 8))
    if (path === '/products') return { status: 200, body: { products } }
    const name = last(path)
    return products.includes(name) ? { status: 200, body: { name, colours: ['oak', 'white'] } } : notFound
  },
  async cart({ body }, others) {
    const price = await others.call('pricing', 'POST', '/prices', body)
    return price.status === 200 ? { status: 201, body: { items: [body], total: price.body } } : price
  },
  async pricing() {
    await sleep(between(2, 15))
    return { status: 200, body: { amount: Math.round(between(10, 900)), currency: 'EUR' } }
  },
  async checkout({ body }, others) {
    const stock = await others.call('inventory', 'POST', '/reservations', body)
    if (stock.status !== 201) return { status: 500, body: { error: 'the order could not be reserved' } }
    const paid = await others.call('payments', 'POST', '/payments', { ...Object(body), card: '4111-xxxx' })
    return paid.status === 200 ? { status: 201, body: { order: Math.floor(between(1e5, 1e6)) } } : paid
  },
  async payments() {
    await sleep(between(250, 900))
    return chance(0.05)
      ? { status: 402, body: { error: 'card declined' } }
      : { status: 200, body: { paid: true } }
  },
  async inventory() {
    await sleep(between(1, 20))
    return { status: 201, body: { reserved: true } }
  },
}

/** What a visitor does next. */
export function nextVisit(): Asked {
  const product = products[Math.floor(Math.random() * products.length)]!
  const dice = Math.random()
  if (dice < 0.35) return { method: 'GET', path: '/', body: undefined }
  if (dice < 0.65) return { method: 'GET', path: `/products/${product}`, body: undefined }
  if (dice < 0.7) return { method: 'GET', path: '/products/unicorn', body: undefined }
  if (dice < 0.88) return { method: 'POST', path: '/cart', body: { product, count: 1 } }
  return { method: 'POST', path: '/checkout', body: { product, count: 1 } }
}
