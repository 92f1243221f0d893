import { Problem } from '@tapdeck/api'
import { type Inventory, listAddresses, listWorkloads as listKnown, parseInventory } from '@tapdeck/inventory'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

export const listWorkloads: Handler<'list_workloads'> = async (input, services, { caller }) => {
  const { name, namespace, type, timestamp } = input
  const workloads = listKnown(seenBy(caller, await inventoryOf(input.db, services)), {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(type !== undefined && { type }),
    ...(timestamp !== undefined && { at: timestamp }),
  })
  return {
    workloads: workloads.map(({ labels, ips, ...rest }) => ({
      ...rest,
      labels: { ...labels },
      ips: [...ips],
    })),
    total: workloads.length,
  }
}

export const listIps: Handler<'list_ips'> = async ({ ip, timestamp, db }, services, { caller }) => {
  const ips = listAddresses(seenBy(caller, await inventoryOf(db, services)), {
    ...(ip !== undefined && { ip }),
    ...(timestamp !== undefined && { at: timestamp }),
  })
  return {
    ips: ips.map(({ ip: address, records }) => ({ ip: address, records: [...records] })),
    total: ips.length,
  }
}

export const getInventory: Handler<'get_inventory'> = (_input, { directory }, { caller }) =>
  seenBy(caller, directory.inventory)

/** The names of a snapshot are those of its own time. */
function inventoryOf(
  db: string | undefined,
  { directory, snapshots }: HubServices,
): Inventory | Promise<Inventory> {
  if (db === undefined) return directory.inventory
  const [snapshot = ''] = db.split('/')
  return snapshots.names(snapshots.get(snapshot).name)
}

/** The pods and services of the namespaces that a caller may see. */
function seenBy(caller: Caller, inventory: Inventory): Inventory {
  const scope = scopeOf(caller)
  if (!scope) return inventory
  const seen = ({ namespace }: { readonly namespace: string }) => scope.holds(namespace)
  return { pods: inventory.pods.filter(seen), services: inventory.services.filter(seen) }
}

export const setInventory: Handler<'set_inventory'> = async (input, { directory }) => {
  const { source, pods, services } = input
  if (!directory.accepts(source))
    throw new Problem(
      409,
      'too_many_sources',
      'Too many inventory sources; reuse one of your existing sources',
    )
  const inventory = parseInventory({ pods, services })
  await directory.keep(source, inventory)
  return { success: true, pods: inventory.pods.length, services: inventory.services.length }
}
