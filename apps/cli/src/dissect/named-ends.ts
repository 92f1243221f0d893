import { SeenNames } from '@tapdeck/inventory'
import { partsByThread, settledOrder } from './settled-order.ts'
import { type AddressKey, addressKey, ToldAddressReader } from './told-addresses.ts'

/** Addresses that DNS told, as one thread found them. */
export interface ToldList {
  readonly thread: unknown
  open(): Uint8Array
}

/**
 * Names of addresses as DNS told them, for calls that are asked about in order of time. Of what was told only that is
 * kept which somebody may ask for.
 */
export class NamedEnds {
  readonly #times: number[] = []
  readonly #flows: number[] = []
  readonly #ttls: number[] = []
  readonly #ips: string[] = []
  readonly #names: string[] = []
  /** In order of time, then flow. */
  readonly #order: Uint32Array
  readonly #seen = new SeenNames()
  #next = 0

  /** `asked`: the words of all threads. Only addresses that are among them may be asked for, whichever thread was told of them. */
  constructor(lists: readonly ToldList[], asked: Iterable<readonly string[]>) {
    const wanted = lists.length === 0 ? new Map<AddressKey, string>() : keysOf(asked)
    const known = new Map<string, string>()
    const ends = partsByThread(
      lists,
      ({ thread }) => thread,
      (list) => {
        const told = new ToldAddressReader(list.open())
        while (told.next()) {
          const ip = wanted.get(told.key)
          if (ip === undefined) continue
          const { name } = told
          if (!known.has(name)) known.set(name, name)
          this.#times.push(told.time)
          this.#flows.push(told.flow)
          this.#ttls.push(told.ttl)
          this.#ips.push(ip)
          this.#names.push(known.get(name)!)
        }
        return this.#times.length
      },
    )
    const times = this.#times
    const flows = this.#flows
    this.#order = settledOrder(ends, (a, b) => times[a]! - times[b]! || flows[a]! - flows[b]!)
  }

  get any(): boolean {
    return this.#order.length > 0
  }

  /** Time, in milliseconds, has come to `now`. */
  advance(now: number): void {
    for (; this.#next < this.#order.length; this.#next++) {
      const told = this.#order[this.#next]!
      const time = this.#times[told]!
      if (time > now) return
      this.#seen.learn(this.#names[told]!, this.#ips[told]!, time, this.#ttls[told]!)
    }
  }

  name(ip: string, time: number): string | undefined {
    return this.#seen.name(ip, time)
  }
}

function keysOf(asked: Iterable<readonly string[]>): Map<AddressKey, string> {
  const keys = new Map<AddressKey, string>()
  for (const words of asked)
    for (const word of words) {
      const key = addressKey(word)
      if (key !== undefined) keys.set(key, word)
    }
  return keys
}
