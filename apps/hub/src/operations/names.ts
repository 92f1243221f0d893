import { Problem } from '@tapdeck/api'
import { listAddresses, listWorkloads as listKnown, parseInventory } from '@tapdeck/inventory'
import type { Handler } from './handler.ts'

export const listWorkloads: Handler<'list_workloads'> = (input, { directory }) => {
  const { name, namespace, type, timestamp } = input
  const workloads = listKnown(directory.inventory, {
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

export const listIps: Handler<'list_ips'> = ({ ip, timestamp }, { directory }) => {
  const ips = listAddresses(directory.inventory, {
    ...(ip !== undefined && { ip }),
    ...(timestamp !== undefined && { at: timestamp }),
  })
  return {
    ips: ips.map(({ ip: address, records }) => ({ ip: address, records: [...records] })),
    total: ips.length,
  }
}

export const getInventory: Handler<'get_inventory'> = (_input, { directory }) => directory.inventory

export const setInventory: Handler<'set_inventory'> = (input, { directory }) => {
  const { source, pods, services } = input
  if (!directory.accepts(source))
    throw new Problem(409, 'too_many_sources', 'there are too many sources of names; use one of yours again')
  const inventory = parseInventory({ pods, services })
  directory.set(source, inventory)
  return { success: true, pods: inventory.pods.length, services: inventory.services.length }
}
