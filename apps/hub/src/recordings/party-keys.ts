import { type Catalog, compile, partiesOf } from '@tapdeck/kfl'
import { ANY_PORT_KEY, addressKey, portKey } from '@tapdeck/wire'

/**
 * Whose packets a filter can match at all, as keys for the ring; empty: all packets. Only addresses and ports that are in
 * the filter narrow it: names may move to other addresses while a recording runs. Connections are kept whole, because
 * their ends do not change, so what is left out cannot be missed by the dissection.
 */
export function partyKeys(kfl: string, catalog: Catalog, now: number): number[][] {
  const filter = compile(kfl, catalog, now)
  // Names from DNS are learnt from packets of others.
  if (filter.paths.some((path) => /(^|\.)dns($|[.[])/.test(path))) return []
  return partiesOf(filter, () => undefined).map((list) => {
    const keys = list.map((party) => ('ip' in party ? addressKey(party.ip) : portKey(party.port)))
    // A fragment has no ports.
    return list.some((party) => 'port' in party) || keys.length === 0 ? [...keys, ANY_PORT_KEY] : keys
  })
}
