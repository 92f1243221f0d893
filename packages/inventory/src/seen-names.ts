const MOST_ADDRESSES = 65_536
/** Connections go on long after an answer's time to live: a name holds at least this long, in milliseconds. */
const HOLDS = 3_600_000

interface Held {
  readonly name: string
  readonly from: number
  readonly until: number
}

/**
 * The names that addresses were the answer to, as DNS told them while somebody listened. Times are those of the packets,
 * in milliseconds: a call gets the name that was known when it began. Of an address the last two names are kept.
 */
export class SeenNames {
  /** Addresses whose names made room for others. */
  forgotten = 0
  readonly #most: number
  readonly #held = new Map<string, { readonly now: Held; readonly before?: Held }>()

  #any = false

  constructor(most = MOST_ADDRESSES) {
    this.#most = most
  }

  get size(): number {
    return this.#held.size
  }

  /** `name` was asked for, and `ip` was the answer; `ttl` is in seconds. */
  learn(name: string, ip: string, time: number, ttl: number): void {
    const known = this.#held.get(ip)
    const until = time + Math.max(ttl * 1000, HOLDS)
    // What is told again goes on; otherwise a call that began before the repetition would lose its name.
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
