import { type Delivery, deliveryOf, type TimedCall } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'
import { CALL, CALL_NUMBERS, type CallBatch } from './call-batch.ts'
import { type CallShape, readsLate } from './call-encoder.ts'
import { EndingPlaces } from './ending-places.ts'
import { Handshakes } from './handshakes.ts'
import { type DnsAnswerList, NamedEnds } from './named-ends.ts'
import { type FiledKeys, fileKeys, OrderedCalls } from './ordered-calls.ts'
import { Page } from './page.ts'
import { Spool, type SpoolReader } from './spool.ts'
import type { SharedFile } from './spool-file.ts'

const encoder = new TextEncoder()

/** A batch whose lines and numbers are in the spools. */
interface StoredBatch extends FiledKeys {
  readonly thread: Thread
  /** Number of the block that its lines are in, and of that with its numbers. */
  readonly lines: number
  readonly numbers: number
}

/** What is known of one thread that calls come from. Its calls are read back in turn with those of others. */
class Thread {
  readonly words: string[] = []
  readonly endings = new EndingPlaces()
  /** By slot: since when (microseconds) responses are not acknowledged. */
  readonly unacked = new Map<number, number>()
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
 * destination service, and the names of addresses from DNS answers.
 */
export class CallSorter {
  flows = 0
  /** How many calls there are of each protocol; with a filter that reads late, only after `pages`. */
  readonly byProtocol: Record<string, number> = {}
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  readonly #isTable: boolean
  readonly #filter: Filter
  /** The filter reads what is known only at the end. */
  readonly #filterLate: boolean
  readonly #isFull: boolean
  readonly #texts = new Spool()
  readonly #numbers = new Spool(32 << 20)
  readonly #endingTexts = new Spool(16 << 20)
  readonly #keys = new Spool(16 << 20)
  readonly #answers = new Spool(16 << 20)
  readonly #stored: StoredBatch[] = []
  readonly #threads = new Map<number, Thread>()
  readonly #handshakes = new Handshakes()
  readonly #answerLists: DnsAnswerList[] = []

  constructor(filter: Filter, shape: CallShape) {
    this.#isTable = shape === 'compact'
    this.#filter = filter
    this.#filterLate = readsLate(filter)
    this.#isFull = this.#filterLate || shape === 'full'
  }

  /** Where other threads put lines away. */
  get linesFile(): SharedFile {
    return this.#texts.share()
  }

  /**
   * Takes what a thread found, and says what memory is free again for lines. Batches of one thread come in their order;
   * those of several in any.
   */
  add(batch: CallBatch, from: number): Uint8Array<ArrayBuffer> | undefined {
    const thread = this.#thread(from)
    const { words, endings } = thread
    for (const word of batch.words) words.push(word)
    const { handshakes, answers } = batch
    for (let at = 0; at < handshakes.length; at += 2)
      this.#handshakes.add(words[handshakes[at]!]!, handshakes[at + 1]!)
    if (answers.length > 0) {
      const block = this.#answers.put(answers)
      this.#answerLists.push({ thread, open: () => this.#answers.open(block).bytes })
    }
    for (let at = 0; at < batch.unacked.length; at += 2)
      thread.unacked.set(batch.unacked[at]!, batch.unacked[at + 1]!)
    if (batch.endings.length > 0) {
      const block = this.#endingTexts.put(batch.endingText)
      for (let at = 0, start = 0; at < batch.endings.length; at += 2) {
        const end = batch.endings[at + 1]!
        endings.set(batch.endings[at]!, block, start, end)
        start = end
      }
    }
    if (batch.count === 0) return undefined
    if (this.#isTable) this.#measureTimes(batch)
    const keys = fileKeys(this.#keys, batch)
    const { buffer, byteOffset, byteLength } = batch.numbers
    const numbers = this.#numbers.put(new Uint8Array(buffer, byteOffset, byteLength))
    this.#stored.push({ ...keys, thread, lines: this.#texts.put(batch.text), numbers })
    return this.#texts.spare()
  }

  /** The times of the first and the last call of a table, in Unix milliseconds; empty without calls. */
  get timeRange(): readonly number[] {
    return this.#first <= this.#last ? [this.#first / 1000, this.#last / 1000] : []
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
      this.#answerLists,
      Array.from(this.#threads.values(), ({ words }) => words),
    )
    const page = new Page()
    const order = new OrderedCalls(this.#stored, this.#keys)
    while (order.next()) {
      const { row } = order
      const stored = this.#stored[order.batch]!
      const { thread } = stored
      const { words } = thread
      const base = row * CALL_NUMBERS
      const numbers = thread.numbers.get(stored.numbers).words
      const begin = row === 0 ? 0 : numbers[base - CALL_NUMBERS + CALL.end]!
      let src: string | undefined
      let dst: string | undefined
      if (names.any) {
        const time = order.start / 1000
        names.advance(time)
        src = names.name(words[numbers[base + CALL.src]!]!, time)
        dst = names.name(words[numbers[base + CALL.dst]!]!, time)
      }
      page.add(thread.lines.get(stored.lines).bytes, numbers, base, begin, src, dst)
      if (thread.unacked.size > 0) joinDelivery(page, thread, numbers[base + CALL.slot]!)
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
    this.#answers.close()
  }

  #measureTimes({ starts, count }: CallBatch): void {
    for (let at = 0; at < count; at++) {
      const start = starts[at]!
      if (start < this.#first) this.#first = start
      if (start > this.#last) this.#last = start
    }
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

const UNACKNOWLEDGED = encoder.encode(`"delivery":${JSON.stringify('unacknowledged' satisfies Delivery)}`)

function joinDelivery(page: Page, { unacked }: Thread, slot: number): void {
  const since = unacked.get(slot)
  if (since === undefined) return
  const { ts, latency_ms } = JSON.parse(page.line) as TimedCall
  if (deliveryOf({ ts, latency_ms }, { unacked: [undefined, since] }, 0) !== undefined)
    page.joinAll(UNACKNOWLEDGED)
}

function joinEnding(page: Page, { endings, endingTexts }: Thread, slot: number): void {
  const block = endings.block(slot)
  if (block !== undefined) page.join(endingTexts.get(block).bytes, endings.start(slot), endings.end(slot))
}
