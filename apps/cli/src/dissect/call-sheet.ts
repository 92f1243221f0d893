import type { Filter } from '@tapdeck/kfl'
import { type CallShape, readsLate } from './call-press.ts'
import { EndingPlaces } from './ending-places.ts'
import { Handshakes } from './handshakes.ts'
import { NamedEnds, type ToldList } from './named-ends.ts'
import { type FiledKeys, fileKeys, OrderedCalls } from './ordered-calls.ts'
import { Page } from './page.ts'
import { CALL, CALL_NUMBERS, type Sheaf } from './sheaf.ts'
import { Spool, type SpoolReader } from './spool.ts'
import type { SharedFile } from './spool-file.ts'

const encoder = new TextEncoder()

/** A sheaf whose lines and numbers are put away. */
interface Shelved extends FiledKeys {
  readonly thread: Thread
  /** Number of the block that its lines are in, and of that with its numbers. */
  readonly lines: number
  readonly numbers: number
}

/** What is known of one thread that calls come from. Its calls are read back in turn with those of others. */
class Thread {
  readonly words: string[] = []
  readonly endings = new EndingPlaces()
  readonly lines: SpoolReader
  readonly numbers: SpoolReader
  readonly endingTexts: SpoolReader
  /** By word, what there is to say of the handshakes of a service. */
  handshakes: readonly (Uint8Array | undefined)[] = []

  constructor(lines: Spool, numbers: Spool, endingTexts: Spool) {
    this.lines = lines.reader()
    this.numbers = numbers.reader()
    this.endingTexts = endingTexts.reader()
  }
}

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
  readonly #numbers = new Spool(32 << 20)
  readonly #endingTexts = new Spool(16 << 20)
  readonly #keys = new Spool(16 << 20)
  readonly #told = new Spool(16 << 20)
  readonly #shelved: Shelved[] = []
  readonly #threads = new Map<number, Thread>()
  readonly #handshakes = new Handshakes()
  readonly #toldLists: ToldList[] = []

  constructor(filter: Filter, shape: CallShape) {
    this.#filter = filter
    this.#filterLate = readsLate(filter)
    this.#isFull = this.#filterLate || shape === 'full'
  }

  /** Where other threads put lines away. */
  get linesFile(): SharedFile {
    return this.#texts.share()
  }

  /**
   * Takes what a thread found, and says what memory is free again for lines. Sheaves of one thread come in their order;
   * those of several in any.
   */
  add(sheaf: Sheaf, from: number): Uint8Array<ArrayBuffer> | undefined {
    const thread = this.#thread(from)
    const { words, endings } = thread
    for (const word of sheaf.words) words.push(word)
    const { handshakes, told } = sheaf
    for (let at = 0; at < handshakes.length; at += 2)
      this.#handshakes.add(words[handshakes[at]!]!, handshakes[at + 1]!)
    if (told.length > 0) {
      const block = this.#told.put(told)
      this.#toldLists.push({ thread, open: () => this.#told.open(block).bytes })
    }
    if (sheaf.endings.length > 0) {
      const block = this.#endingTexts.put(sheaf.endingText)
      for (let at = 0, start = 0; at < sheaf.endings.length; at += 2) {
        const end = sheaf.endings[at + 1]!
        endings.set(sheaf.endings[at]!, block, start, end)
        start = end
      }
    }
    if (sheaf.count === 0) return undefined
    const keys = fileKeys(this.#keys, sheaf)
    const { buffer, byteOffset, byteLength } = sheaf.numbers
    const numbers = this.#numbers.put(new Uint8Array(buffer, byteOffset, byteLength))
    this.#shelved.push({ ...keys, thread, lines: this.#texts.put(sheaf.text), numbers })
    return this.#texts.spare()
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

  /** The same as bytes, a good many lines at once: each page is true until the next but one is asked for. */
  *pages(): Generator<Buffer> {
    const percentiles = new Map<string, Uint8Array>()
    for (const [service, values] of this.#handshakes.percentiles())
      percentiles.set(service, encoder.encode(JSON.stringify(values).slice(1, -1)))
    for (const thread of this.#threads.values())
      thread.handshakes = thread.words.map((word) => percentiles.get(word))
    const names = new NamedEnds(
      this.#toldLists,
      Array.from(this.#threads.values(), ({ words }) => words),
    )
    const page = new Page()
    const order = new OrderedCalls(this.#shelved, this.#keys)
    while (order.next()) {
      const { row } = order
      const shelved = this.#shelved[order.sheaf]!
      const { thread } = shelved
      const { words } = thread
      const base = row * CALL_NUMBERS
      const numbers = thread.numbers.get(shelved.numbers).words
      const begin = row === 0 ? 0 : numbers[base - CALL_NUMBERS + CALL.end]!
      let src: string | undefined
      let dst: string | undefined
      if (names.any) {
        const time = order.start / 1000
        names.advance(time)
        src = names.name(words[numbers[base + CALL.src]!]!, time)
        dst = names.name(words[numbers[base + CALL.dst]!]!, time)
      }
      page.add(thread.lines.get(shelved.lines).bytes, numbers, base, begin, src, dst)
      if (this.#isFull) {
        joinEnding(page, thread, numbers[base + CALL.slot]!)
        const handshakes = thread.handshakes[numbers[base + CALL.service]!]
        if (handshakes !== undefined) page.joinAll(handshakes)
      }
      if (this.#filterLate) {
        if (!this.#filter.matches(JSON.parse(page.line) as object)) {
          page.drop()
          continue
        }
        this.#count(words[numbers[base + CALL.protocol]!]!, 1)
      }
      if (page.end()) yield page.turn()
    }
    const rest = page.turn()
    if (rest.length > 0) yield rest
  }

  close(): void {
    this.#texts.close()
    this.#numbers.close()
    this.#endingTexts.close()
    this.#keys.close()
    this.#told.close()
  }

  #thread(number: number): Thread {
    let thread = this.#threads.get(number)
    if (thread === undefined) {
      thread = new Thread(this.#texts, this.#numbers, this.#endingTexts)
      this.#threads.set(number, thread)
    }
    return thread
  }

  #count(proto: string, count: number): void {
    this.byProtocol[proto] = (this.byProtocol[proto] ?? 0) + count
  }
}

function joinEnding(page: Page, { endings, endingTexts }: Thread, slot: number): void {
  const block = endings.block(slot)
  if (block !== undefined) page.join(endingTexts.get(block).bytes, endings.start(slot), endings.end(slot))
}
