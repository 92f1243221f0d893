const MAX_ADDRESSES = 65_536
/** Connections go on long after an answer's time to live: a name holds at least this long, in milliseconds. */
const HOLDS = 3_600_000

interface Held {
  readonly name: string
  readonly from: number
  readonly until: number
}

/**
 * Names of addresses from captured DNS answers. Times are packet times in milliseconds: a call gets the name that was known
 * when it began. The last two names of an address are kept.
 */
export class SeenNames {
  /** Addresses whose names made room for others. */
  forgotten = 0
  readonly #most: number
  readonly #held = new Map<string, { readonly now: Held; readonly before?: Held }>()

  #any = false

  constructor(most = MAX_ADDRESSES) {
    this.#most = most
  }

  get size(): number {
    return this.#held.size
  }

  /** `name` was asked for, and `ip` was the answer; `ttl` is in seconds. */
  learn(name: string, ip: string, time: number, ttl: number): void {
    const known = this.#held.get(ip)
    const until = time + Math.max(ttl * 1000, HOLDS)
    // A repeated answer extends the name; otherwise a call that began before it would lose its name.
    const goesOn = known?.now.name === name && time <= known.now.until
    const now = { name, from: goesOn ? Math.min(known.now.from, time) : time, until }
    const before = goesOn ? known.before : known?.now
    this.#any = true
    this.#held.delete(ip)
    this.#held.set(ip, before === undefined ? { now } : { now, before })
    if (this.#held.size > this.#most) this.#forget()
  }

  name(ip: string, time: number): string | undefined {
    // Asked for both ends of every call, and most captures have no answers of DNS.
    if (!this.#any) return undefined
    const held = this.#held.get(ip)
    if (held === undefined) return undefined
    const { now, before } = held
    if (now.from <= time) return time <= now.until ? now.name : undefined
    return before !== undefined && before.from <= time && time <= before.until ? before.name : undefined
  }

  #forget(): void {
    for (const ip of this.#held.keys()) {
      this.#held.delete(ip)
      this.forgotten++
      return
    }
  }
}
