import { addressesNamed } from '@tapdeck/inventory'
import { type Catalog, compile, partiesOf } from '@tapdeck/kfl'
import { partyKeys } from '@tapdeck/wire'
import type { DissectionTask } from './dissection-task.ts'
import { readsSeenNames } from './filter-calls.ts'

/** Whose packets a task needs, as keys (see `PacketKeys`), one of each list; empty: all packets. Undefined: none. */
export function wantedPackets(
  task: DissectionTask,
  catalog: Catalog,
): readonly (readonly number[])[] | undefined {
  if (task.kfl.trim() === '' || readsSeenNames(task, catalog)) return []
  const filter = compile(task.kfl, catalog, task.now)
  return partyKeys(partiesOf(filter, (kind, passes) => addressesNamed(task.inventory, kind, passes)))
}
