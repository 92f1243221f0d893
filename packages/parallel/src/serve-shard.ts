import { parentPort, type TransferListItem, workerData } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import {
  type FromShard,
  type ShardStart,
  type SharedChunk,
  shardState,
  type ToShard,
} from './thread-message.ts'

/** Results of one shard that were not released yet. Beyond this, the thread waits. */
const MAX_BYTES_IN_FLIGHT = 16 << 20

export interface ShardContext {
  readonly shard: Shard
  /** `ShardPoolOptions.data`. */
  readonly data: unknown
  /** Sends a result; waits while too many bytes are in flight. `bytes` is its approximate size. */
  send(result: unknown, bytes: number, transfer?: readonly TransferListItem[]): void
  /** The chunks of the next source that the pool shares, each in its own memory. */
  shared(): AsyncIterable<Uint8Array>
  /** Sets the function that answers questions, between two chunks. It returns plain data and must not throw. */
  answer(how: (question: unknown) => Promise<unknown>): void
  /** From now on the thread has resources and must not be terminated. Throws if it is stopped already. */
  hold(): void
  /** The work is done; resolves after `ShardPool.dismiss`. */
  dismissed(): Promise<void>
  /** Whether the pool has stopped; and a promise of it. */
  left(): boolean
  readonly leaving: Promise<void>
}

/** Runs a thread of a `ShardPool`. `work` reads the whole capture; the pool gets what it resolves with. */
export function serveShard(work: (context: ShardContext) => Promise<unknown>): void {
  const { index, count, bytesInFlight, states, slots, data } = workerData as ShardStart
  const port = parentPort!
  const inFlight = new Int32Array(bytesInFlight)
  const ownStates = new Int32Array(states)
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
  let setAnswerer: (how: (question: unknown) => Promise<unknown>) => void = () => undefined
  const answering = new Promise<(question: unknown) => Promise<unknown>>((resolve) => {
    setAnswerer = resolve
  })
  const post = (message: FromShard, transfer: readonly TransferListItem[] = []) =>
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
    post({ kind: 'answer', id, answer: await how(question) })
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
    post({ kind: 'read', slot })
    return chunk
  }
  const context: ShardContext = {
    shard: { index, count },
    data,
    send(result, bytes, transfer) {
      Atomics.add(inFlight, index, bytes)
      post({ kind: 'result', result, bytes }, transfer)
      for (;;) {
        const now = Atomics.load(inFlight, index)
        if (now <= MAX_BYTES_IN_FLIGHT) return
        Atomics.wait(inFlight, index, now)
      }
    },
    async *shared() {
      // Skip the rest of a source that was not read to its end.
      while (isSharing) await next()
      isSharing = true
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk
    },
    answer: setAnswerer,
    hold() {
      const { free, holds, ended } = shardState
      if (Atomics.compareExchange(ownStates, index, free, holds) === ended) throw new Error('stopped')
    },
    dismissed() {
      post({ kind: 'waits' })
      return dismissed
    },
    left: () => hasLeft,
    leaving,
  }
  // An error is not caught: it ends the thread, and the pool receives it.
  void work(context).then((last) => {
    post({ kind: 'ended', last })
    port.close()
  })
}
