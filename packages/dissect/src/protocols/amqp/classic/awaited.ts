import type { Side } from '@tapdeck/wire'

interface Asked {
  readonly key: string
  readonly method: number
  /** Bytes were lost since: its answer may have been among them. */
  doubtful: boolean
}

/**
 * Methods of one side that wait for their answers, by channel. An answer names its method but not which of several;
 * they come in turn. A channel is used by turns, too: a new method there says that a doubtful one was answered.
 */
export class Awaited {
  readonly #side: Side
  readonly #most: number
  readonly #channels = new Map<number, Asked[]>()
  #count = 0
  #serial = 0

  constructor(side: Side, most: number) {
    this.#side = side
    this.#most = most
  }

  /** The key of a new request. */
  ask(channel: number, method: number): string {
    const key = `${this.#side}.${channel}.${++this.#serial}`
    let asked = this.#channels.get(channel)
    if (asked?.some(({ doubtful }) => doubtful)) {
      const sure = asked.filter(({ doubtful }) => !doubtful)
      this.#count -= asked.length - sure.length
      asked = sure
      this.#channels.set(channel, asked)
    }
    if (this.#count >= this.#most) return key
    this.#count++
    if (asked === undefined) this.#channels.set(channel, [{ key, method, doubtful: false }])
    else asked.push({ key, method, doubtful: false })
    return key
  }

  /** The key of the request that an answer to `method` belongs to. */
  answer(channel: number, method: number): string | undefined {
    const asked = this.#channels.get(channel)
    const index = asked?.findIndex((one) => one.method === method) ?? -1
    if (asked === undefined || index < 0) return undefined
    const [{ key }] = asked.splice(index, 1)
    this.#count--
    if (asked.length === 0) this.#channels.delete(channel)
    return key
  }

  /** Keys of all that will not be answered any more, because the channel (or, without one, all of it) was closed. */
  closed(channel?: number): string[] {
    const ended = channel === undefined ? [...this.#channels.keys()] : [channel]
    const keys: string[] = []
    for (const one of ended) {
      for (const { key } of this.#channels.get(one) ?? []) keys.push(key)
      this.#channels.delete(one)
    }
    this.#count -= keys.length
    return keys
  }

  doubt(): void {
    for (const asked of this.#channels.values()) for (const one of asked) one.doubtful = true
  }
}
