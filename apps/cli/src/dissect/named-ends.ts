import { SeenNames } from '@tapdeck/inventory'
import { partsByThread, settledOrder } from './settled-order.ts'
import { toldAs } from './told-address.ts'

/** Numbers of one address that DNS told, as in `Sheaf.answers`. */
const ANSWER = { time: 0, flow: 1, ttl: 2, name: 3, ip: 4 } as const
const ANSWER_NUMBERS = 5

/** Addresses that DNS told, as one thread found them; its words come from elsewhere. */
export interface Answers {
  readonly numbers: Float64Array
  readonly words: readonly string[]
}

/** Names of addresses as DNS told them, for calls that are asked about in order of time. */
export class NamedEnds {
  readonly #lists: readonly Answers[]
  /** Of each answer: the list that it is in, and where it begins there; all of them in order of time, then flow. */
  readonly #inList: readonly number[]
  readonly #places: readonly number[]
  /** IPv4 addresses by the numbers that they were told as. */
  readonly #wanted: ReadonlyMap<number, string>
  readonly #order: Uint32Array
  readonly #seen = new SeenNames()
  #next = 0

  /** `asked`: the words of all threads. Only addresses that are among them may be asked for, whichever thread was told of them. */
  constructor(lists: readonly Answers[], asked: Iterable<readonly string[]>) {
    const wanted = new Map<number, string>()
    for (const words of asked)
      for (const word of words) {
        const told = toldAs(word)
        if (told !== undefined) wanted.set(told, word)
      }
    const inList: number[] = []
    const places: number[] = []
    const take = ({ numbers }: Answers, list: number) => {
      for (let place = 0; place < numbers.length; place += ANSWER_NUMBERS) {
        const ip = numbers[place + ANSWER.ip]!
        if (ip < 0 && !wanted.has(ip)) continue
        inList.push(list)
        places.push(place)
      }
      return places.length
    }
    const ends = partsByThread(lists, ({ words }) => words, take)
    this.#wanted = wanted
    const number = (answer: number, which: number) =>
      lists[inList[answer]!]!.numbers[places[answer]! + which]!
    this.#lists = lists
    this.#inList = inList
    this.#places = places
    this.#order = settledOrder(
      ends,
      (a, b) =>
        number(a, ANSWER.time) - number(b, ANSWER.time) || number(a, ANSWER.flow) - number(b, ANSWER.flow),
    )
  }

  get any(): boolean {
    return this.#order.length > 0
  }

  /** Time, in milliseconds, has come to `now`. */
  advance(now: number): void {
    for (; this.#next < this.#order.length; this.#next++) {
      const answer = this.#order[this.#next]!
      const { numbers, words } = this.#lists[this.#inList[answer]!]!
      const place = this.#places[answer]!
      const time = numbers[place + ANSWER.time]!
      if (time > now) return
      const name = words[numbers[place + ANSWER.name]!]!
      const ip = numbers[place + ANSWER.ip]!
      const text = ip < 0 ? this.#wanted.get(ip)! : words[ip]!
      this.#seen.learn(name, text, time, numbers[place + ANSWER.ttl]!)
    }
  }

  name(ip: string, time: number): string | undefined {
    return this.#seen.name(ip, time)
  }
}
