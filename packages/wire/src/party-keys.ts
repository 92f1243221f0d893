import { Malformed } from './malformed.ts'
import { ANY_PORT_KEY, addressKey, portKey } from './packet-keys.ts'

type Party = { readonly ip: string } | { readonly port: number }

const DNS = 53

/**
 * The keys (`PacketKeys`) of wanted packets: a packet matches if it has a key of each list. If both hosts and ports are
 * given, DNS packets of these hosts match too, because they name addresses. Undefined: no packet can match.
 */
export function partyKeys(lists: readonly (readonly Party[])[]): readonly (readonly number[])[] | undefined {
  const ofHosts = (list: readonly Party[]) => list.every((party) => 'ip' in party)
  const dnsKeys = lists.some(ofHosts) ? [portKey(DNS)] : []
  const keys = lists.map((list) => {
    const own = list.flatMap(keysOf)
    return own.length === 0 || ofHosts(list) ? own : [...own, ...dnsKeys]
  })
  return keys.some((list) => list.length === 0) ? undefined : keys.map((list) => [...new Set(list)])
}

function keysOf(party: Party): number[] {
  if ('port' in party) return [portKey(party.port), ANY_PORT_KEY]
  try {
    return [addressKey(party.ip)]
  } catch (error) {
    // A text that is not an address matches no packet.
    if (error instanceof Malformed) return []
    throw error
  }
}
