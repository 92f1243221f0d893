import { addressesNamed, type Inventory } from '@tapdeck/inventory'
import { type Filter, partiesOf } from '@tapdeck/kfl'
import { partyKeys } from '@tapdeck/wire'

/** The keys (see `PacketKeys`) of the hosts and ports that a filter can match: one of each list. Undefined: nothing can match. */
export function filterPartyKeys(
  filter: Filter,
  inventory: Inventory,
): readonly (readonly number[])[] | undefined {
  // DNS names are learnt from packets of other hosts, so all packets are needed.
  if (filter.paths.some((path) => /^(src|dst)(\.dns)?$/.test(path))) return []
  return partyKeys(partiesOf(filter, (kind, passes) => addressesNamed(inventory, kind, passes)))
}
