import type { Inventory } from './inventory.ts'

interface Timed {
  readonly from?: number
  readonly until?: number
}

/** The part of an inventory that counts in a window: what existed in it, and endpoints of that time. Unix milliseconds. */
export function namesWithin({ pods, services, nodes }: Inventory, start: number, end: number): Inventory {
  const existed = ({ from = start, until = end }: Timed) => from <= end && until >= start
  return {
    pods: pods.filter(existed),
    services: services.filter(existed).map((service) => {
      const { endpoints = [] } = service
      const kept = endpoints.filter(existed)
      return kept.length === endpoints.length ? service : { ...service, endpoints: kept }
    }),
    ...(nodes && { nodes: nodes.filter(existed) }),
  }
}
