import { SeenNames } from '@tapdeck/inventory'
import { type AddressKey, addressKey, DnsAnswerReader } from './dns-answers.ts'
import { partsByThread, settledOrder } from './settled-order.ts'

/** Addresses of DNS answers, as one thread found them. */
export interface DnsAnswerList {
  readonly thread: unknown
  open(): Uint8Array
}

/**
 * Names of addresses from DNS answers, for calls in order of time. Only answers about addresses that calls have are
 * kept.
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

  /** `asked`: the words of all threads. Only addresses among them are looked up, whichever thread saw the answer. */
  constructor(lists: readonly DnsAnswerList[], asked: Iterable<readonly string[]>) {
    const wanted = lists.length === 0 ? new Map<AddressKey, string>() : keysOf(asked)
    const known = new Map<string, string>()
    const ends = partsByThread(
      lists,
      ({ thread }) => thread,
      (list) => {
        const answer = new DnsAnswerReader(list.open())
        while (answer.next()) {
          const ip = wanted.get(answer.key)
          if (ip === undefined) continue
          const { name } = answer
          if (!known.has(name)) known.set(name, name)
          this.#times.push(answer.time)
          this.#flows.push(answer.flow)
          this.#ttls.push(answer.ttl)
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
      const answer = this.#order[this.#next]!
      const time = this.#times[answer]!
      if (time > now) return
      this.#seen.learn(this.#names[answer]!, this.#ips[answer]!, time, this.#ttls[answer]!)
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
