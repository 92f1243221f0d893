import { hostname } from 'node:os'
import type { Inventory } from '@tapdeck/inventory'

/** One pod of the shop, with an address of its own on the loopback interface. */
export interface DemoPod {
  readonly service: string
  readonly name: string
  readonly ip: string
  readonly port: number
}

export const namespace = 'shop'
const httpPort = 8080

const pod = (service: string, number: number, ip: string, port = httpPort): DemoPod => ({
  service,
  name: `${service}-${number}`,
  ip,
  port,
})

/** THE shop. Every request between its pods leaves from the address of the pod that makes it. */
export const shop = {
  frontend: [pod('frontend', 0, '127.0.10.1')],
  catalog: [pod('catalog', 0, '127.0.10.2'), pod('catalog', 1, '127.0.10.12')],
  cart: [pod('cart', 0, '127.0.10.3')],
  pricing: [pod('pricing', 0, '127.0.10.4')],
  checkout: [pod('checkout', 0, '127.0.10.5')],
  payments: [pod('payments', 0, '127.0.10.6')],
  inventory: [pod('inventory', 0, '127.0.10.7')],
  // Port 53 may need privileges or be in use.
  dns: [pod('dns', 0, '127.0.10.53', 10_053)],
} as const satisfies Record<string, readonly DemoPod[]>

export type ShopService = keyof typeof shop

/** A visitor, who belongs to no service. */
export const visitor: DemoPod = { ...pod('visitor', 0, '127.0.10.100'), port: 0 }

/** The shop as an inventory for the hub. */
export function shopInventory(): Inventory {
  const everyone = [...Object.values(shop).flat(), visitor]
  return {
    pods: everyone.map(({ name, service, ip }) => ({
      name,
      namespace,
      ips: [ip],
      node: hostname(),
      labels: { app: service },
    })),
    services: Object.entries(shop).map(([name, pods]) => ({
      name,
      namespace,
      labels: { app: name },
      endpoints: pods.map(({ ip, port }) => ({ ip, ports: [port] })),
    })),
  }
}
