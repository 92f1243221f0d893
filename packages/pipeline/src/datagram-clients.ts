import type { Address, Flow } from '@tapdeck/wire'

/** More than the flows of UDP that are open at a time in most captures: two ends seldom share a place. */
const PLACES = 1 << 18

/** Counts the open flows of UDP at each address and port, so that a flow without another view is recognised at once. */
export class DatagramClients {
  /** By the hash of an end: that of a server counts too, because a protocol can correct who the client is. */
  #open: Int32Array | undefined

  opened(flow: Flow): void {
    this.#open ??= new Int32Array(PLACES)
    this.#count(flow, 1)
  }

  closed(flow: Flow): void {
    this.#count(flow, -1)
  }

  /** Whether no other flow of its client is open. Where two ends share a place, the answer is false. */
  hasOne(flow: Flow): boolean {
    return this.#open?.[placeOf(flow.ends[0])] === 1
  }

  #count({ ends }: Flow, change: number): void {
    const open = this.#open
    if (open === undefined) return
    for (const end of ends) open[placeOf(end)]! += change
  }
}

/** The last characters tell the clients of a cluster apart. */
function placeOf({ ip, port }: Address): number {
  let hash = Math.imul(port, 0x9e3779b1)
  for (let at = Math.max(ip.length - 4, 0); at < ip.length; at++)
    hash = Math.imul(hash ^ ip.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & (PLACES - 1)
}
