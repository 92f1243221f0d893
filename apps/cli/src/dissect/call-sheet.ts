import type { Filter } from '@tapdeck/kfl'
import { type CallShape, readsLate } from './call-press.ts'
import { Handshakes } from './handshakes.ts'
import { type Answer, NamedEnds, withNames } from './named-ends.ts'
import { OrderedCalls } from './ordered-calls.ts'
import { Page } from './page.ts'
import { CALL, CALL_NUMBERS, type Sheaf } from './sheaf.ts'
import { Spool } from './spool.ts'

/** A sheaf whose texts are put away. */
interface Shelved extends Pick<Sheaf, 'count' | 'starts' | 'flows' | 'numbers'> {
  readonly thread: Thread
  /** Number of the block that its lines are in. */
  readonly block: number
}

/** What is known of one thread that calls come from. */
class Thread {
  readonly words: string[] = []
  /** Of each slot: the block that its ending is in, and from where to where. */
  readonly endings: (readonly [block: number, start: number, end: number] | undefined)[] = []
}

const NOTHING = new Uint8Array(0)

/**
 * The calls of a run, put away as they come and read back in order of time; those of the same time go by flow, as in
 * an index. What is known only at the end is added then: what the flow came to, handshake percentiles of the
 * destination service, and the names that DNS told for the addresses.
 */
export class CallSheet {
  flows = 0
  /** How many calls there are of each protocol; with a filter that reads late, only after `pages`. */
  readonly byProtocol: Record<string, number> = {}
  readonly #filter: Filter
  /** The filter reads what is known only at the end. */
  readonly #filterLate: boolean
  readonly #isFull: boolean
  readonly #texts = new Spool()
  readonly #endingTexts = new Spool(16 << 20)
  readonly #shelved: Shelved[] = []
  readonly #threads: Thread[] = []
  readonly #handshakes = new Handshakes()
  readonly #answers: Answer[] = []

  constructor(filter: Filter, shape: CallShape) {
    this.#filter = filter
    this.#filterLate = readsLate(filter)
    this.#isFull = this.#filterLate || shape === 'full'
  }

  /** Takes what a thread found. Sheaves of one thread come in their order; those of several in any. */
  add(sheaf: Sheaf, from: number): void {
    this.#threads[from] ??= new Thread()
    const thread = this.#threads[from]
    const { words, endings } = thread
    for (const word of sheaf.words) words.push(word)
    const { handshakes, answers } = sheaf
    for (let at = 0; at < handshakes.length; at += 2)
      this.#handshakes.add(words[handshakes[at]!]!, handshakes[at + 1]!)
    for (let at = 0; at < answers.length; at += 5)
      this.#answers.push({
        time: answers[at]!,
        flow: answers[at + 1]!,
        ttl: answers[at + 2]!,
        name: words[answers[at + 3]!]!,
        ip: words[answers[at + 4]!]!,
      })
    if (sheaf.endings.length > 0) {
      const block = this.#endingTexts.put(sheaf.endingText)
      for (let at = 0, start = 0; at < sheaf.endings.length; at += 2) {
        const end = sheaf.endings[at + 1]!
        endings[sheaf.endings[at]!] = [block, start, end]
        start = end
      }
    }
    if (sheaf.count === 0) return
    const { count, starts, flows, numbers, text } = sheaf
    this.#shelved.push({ count, starts, flows, numbers, thread, block: this.#texts.put(text) })
  }

  /** Takes what a thread counted. */
  count(flows: number, byProtocol: Readonly<Record<string, number>>): void {
    this.flows += flows
    for (const [proto, count] of Object.entries(byProtocol)) this.#count(proto, count)
  }

  /** Calls in order of request time, each as one line of JSON. */
  *lines(): Generator<string> {
    for (const page of this.pages()) yield* page.toString().split('\n').slice(0, -1)
  }

  /** The same as bytes, a good many lines at once. */
  *pages(): Generator<Buffer> {
    const percentiles = new Map<string, Uint8Array>()
    for (const [service, values] of this.#handshakes.percentiles())
      percentiles.set(service, Buffer.from(JSON.stringify(values).slice(1, -1)))
    const names = new NamedEnds(this.#answers)
    const page = new Page()
    const order = new OrderedCalls(this.#shelved)
    for (let at = 0; at < order.length; at++) {
      const { starts, numbers, thread, block } = this.#shelved[order.sheaf(at)]!
      const row = order.row(at)
      const base = row * CALL_NUMBERS
      const begin = row === 0 ? 0 : numbers[base - CALL_NUMBERS + CALL.end]!
      const { words } = thread
      const text = this.#texts.get(block).subarray(begin, numbers[base + CALL.end]!)
      const line = names.any ? named(text, starts[row]! / 1000, words, numbers, base, names) : text
      const ending = this.#isFull ? this.#ending(thread, numbers[base + CALL.slot]!) : NOTHING
      const handshakes = this.#isFull ? percentiles.get(words[numbers[base + CALL.service]!]!) : undefined
      const full = page.turn(line.length + ending.length + (handshakes?.length ?? 0) + 8)
      if (full !== undefined && full.length > 0) yield full
      page.add(line)
      page.join(ending)
      if (handshakes) page.join(handshakes)
      if (this.#filterLate) {
        if (!this.#filter.matches(JSON.parse(page.line) as object)) {
          page.drop()
          continue
        }
        this.#count(words[numbers[base + CALL.protocol]!]!, 1)
      }
      page.end()
    }
    if (page.rest().length > 0) yield page.rest()
  }

  close(): void {
    this.#texts.close()
    this.#endingTexts.close()
  }

  #ending(thread: Thread, slot: number): Uint8Array {
    const ending = thread.endings[slot]
    return ending === undefined ? NOTHING : this.#endingTexts.get(ending[0]).subarray(ending[1], ending[2])
  }

  #count(proto: string, count: number): void {
    this.byProtocol[proto] = (this.byProtocol[proto] ?? 0) + count
  }
}

/** The line of the call whose numbers begin at `base`, with the names that its ends had when it began. */
function named(
  line: Uint8Array,
  time: number,
  words: readonly string[],
  numbers: Uint32Array,
  base: number,
  names: NamedEnds,
): Uint8Array {
  names.advance(time)
  const src = names.name(words[numbers[base + CALL.src]!]!, time)
  const dst = names.name(words[numbers[base + CALL.dst]!]!, time)
  if (src === undefined && dst === undefined) return line
  return withNames(Buffer.from(line.buffer, line.byteOffset, line.length), src, dst)
}
