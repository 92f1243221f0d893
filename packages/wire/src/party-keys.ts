import { Malformed } from './malformed.ts'
import { ANY_PORT_KEY, addressKey, portKey } from './packet-keys.ts'

type Party = { readonly ip: string } | { readonly port: number }

const DNS = 53

/**
 * Whose packets are wanted, as keys of `PacketKeys`: of packets with one of each list, all are found. Where both hosts and
 * ports are named, the questions of these hosts to DNS come along, since they tell names. Undefined: nobody is wanted.
 */
export function partyKeys(lists: readonly (readonly Party[])[]): readonly (readonly number[])[] | undefined {
  const ofHosts = (list: readonly Party[]) => list.every((party) => 'ip' in party)
  const namesTold = lists.some(ofHosts) ? [portKey(DNS)] : []
  const keys = lists.map((list) => {
    const own = list.flatMap(keysOf)
    return own.length === 0 || ofHosts(list) ? own : [...own, ...namesTold]
  })
  return keys.some((list) => list.length === 0) ? undefined : keys.map((list) => [...new Set(list)])
}

function keysOf(party: Party): number[] {
  if ('port' in party) return [portKey(party.port), ANY_PORT_KEY]
  try {
    return [addressKey(party.ip)]
  } catch (error) {
    // No packet has an address that is none.
    if (error instanceof Malformed) return []
    throw error
  }
}
