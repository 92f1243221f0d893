import { parentPort, type TransferListItem, workerData } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import {
  type FromShard,
  type ShardStart,
  type SharedChunk,
  standing,
  type ToShard,
} from './thread-message.ts'

/** Results of one shard that nobody has taken yet. Beyond, the thread waits. */
const MOST_UNDERWAY = 16 << 20

export interface ShardSeat {
  readonly shard: Shard
  /** What the application gave the crew for its threads. */
  readonly data: unknown
  /** Hands a result over; waits while too much is under way. `bytes` is about what it weighs. */
  send(result: unknown, bytes: number, transfer?: readonly TransferListItem[]): void
  /** The chunks that the crew shares of its next source, each in memory of its own. */
  shared(): AsyncIterable<Uint8Array>
  /** From now on questions to the crew are answered so, between two chunks. What it gives is plain data; it throws nothing. */
  answer(how: (question: unknown) => Promise<unknown>): void
  /** From now on it must not be cut off when it is stopped. Throws where it is stopped already. */
  hold(): void
  /** Its work is done; resolves once the crew is dismissed. */
  dismissed(): Promise<void>
  /** Whether the work is not wanted any more, and when it is not. */
  left(): boolean
  readonly leaving: Promise<void>
}

/** The life of a thread of a `Crew`. `work` reads the whole capture; what it resolves with is the last word. */
export function serveShard(work: (seat: ShardSeat) => Promise<unknown>): void {
  const { index, count, underway, standings, slots, data } = workerData as ShardStart
  const port = parentPort!
  const weights = new Int32Array(underway)
  const states = new Int32Array(standings)
  const inbox: SharedChunk[] = []
  let arrived: () => void = () => undefined
  let hasLeft = false
  let leave: () => void = () => undefined
  const leaving = new Promise<void>((resolve) => {
    leave = resolve
  })
  let dismiss: () => void = () => undefined
  const dismissed = new Promise<void>((resolve) => {
    dismiss = resolve
  })
  let answerSo: (how: (question: unknown) => Promise<unknown>) => void = () => undefined
  const answering = new Promise<(question: unknown) => Promise<unknown>>((resolve) => {
    answerSo = resolve
  })
  const say = (message: FromShard, transfer: readonly TransferListItem[] = []) =>
    port.postMessage(message, transfer)
  port.on('message', (message: ToShard) => {
    if (message.kind === 'ask') void reply(message.id, message.question)
    else if (message.kind === 'chunk') {
      inbox.push(message)
      arrived()
    } else {
      if (message.kind === 'leave') {
        hasLeft = true
        leave()
      }
      dismiss()
      arrived()
    }
  })
  const reply = async (id: number, question: unknown) => {
    const how = await answering
    say({ kind: 'answer', id, answer: await how(question) })
  }
  let isSharing = false
  /** The next chunk; undefined at the end of its source. */
  const next = async () => {
    while (inbox.length === 0) {
      if (hasLeft) throw new Error('stopped')
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
    const { slot, length } = inbox.shift()!
    isSharing = length > 0
    if (!isSharing) return undefined
    const chunk = new Uint8Array(slots[slot]!, 0, length).slice()
    say({ kind: 'read', slot })
    return chunk
  }
  const seat: ShardSeat = {
    shard: { index, count },
    data,
    send(result, bytes, transfer) {
      Atomics.add(weights, index, bytes)
      say({ kind: 'result', result, bytes }, transfer)
      for (;;) {
        const now = Atomics.load(weights, index)
        if (now <= MOST_UNDERWAY) return
        Atomics.wait(weights, index, now)
      }
    },
    async *shared() {
      // What is left of a source that nobody read to its end.
      while (isSharing) await next()
      isSharing = true
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk
    },
    answer: answerSo,
    hold() {
      const { free, holds, ended } = standing
      if (Atomics.compareExchange(states, index, free, holds) === ended) throw new Error('stopped')
    },
    dismissed() {
      say({ kind: 'waits' })
      return dismissed
    },
    left: () => hasLeft,
    leaving,
  }
  // Nobody catches what it throws: the thread ends with it, and the crew hears why.
  void work(seat).then((last) => {
    say({ kind: 'ended', last })
    port.close()
  })
}
