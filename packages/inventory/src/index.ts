export { addressesNamed } from './addresses-named.ts'
export { canonicalIp } from './canonical-ip.ts'
export type { Inventory, Node, Pod, Service } from './inventory.ts'
export { InventoryError } from './inventory-error.ts'
export {
  type AddressHolders,
  listAddresses,
  listWorkloads,
  type Workload,
  type WorkloadQuery,
} from './listing.ts'
export type { Names } from './names.ts'
export type { NamesOverTime } from './names-over-time.ts'
export { parseInventory } from './parse-inventory.ts'
export { createResolver, type Resolver } from './resolver.ts'
export { SeenNames } from './seen-names.ts'
