export { addressesNamed } from './addresses-named.ts'
export type { Inventory, Node, Owner, Pod, Service, ServiceEndpoint } from './inventory.ts'
export { InventoryError } from './inventory-error.ts'
export {
  type AddressHolders,
  listAddresses,
  listWorkloads,
  type Workload,
  type WorkloadQuery,
} from './listing.ts'
export { entriesOf, inventoryOf, type NameEntry } from './name-entry.ts'
export { NameIndex } from './name-index.ts'
export type { Names } from './names.ts'
export { applyDelta, type NamesDelta, namesDelta, parseNamesDelta } from './names-delta.ts'
export type { NamesOverTime } from './names-over-time.ts'
export { namesWithin } from './names-within.ts'
export { parseInventory } from './parse-inventory.ts'
export { createResolver, type Resolver } from './resolver.ts'
export { SeenNames } from './seen-names.ts'
