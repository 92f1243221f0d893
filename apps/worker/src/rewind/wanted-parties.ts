import { addressesNamed, type Inventory } from '@tapdeck/inventory'
import { type Filter, partiesOf } from '@tapdeck/kfl'
import { partyKeys } from '@tapdeck/wire'

/** Whose packets are worth reading for a filter, as keys (see `PacketKeys`): one of each list. Undefined: nothing can match. */
export function wantedParties(
  filter: Filter,
  inventory: Inventory,
): readonly (readonly number[])[] | undefined {
  // Names that DNS told are learnt from packets of others.
  if (filter.paths.some((path) => /^(src|dst)(\.dns)?$/.test(path))) return []
  return partyKeys(partiesOf(filter, (kind, passes) => addressesNamed(inventory, kind, passes)))
}
