import { parentPort, type TransferListItem, workerData } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import { Journal } from './journal.ts'
import { type DealtSink, readParcel } from './read-parcel.ts'
import type { FromShard, ShardStart, ToShard } from './thread-message.ts'

/** Results of one shard that nobody has taken yet. Beyond, the thread waits. */
const MOST_UNDERWAY = 16 << 20

export interface ShardSeat {
  readonly shard: Shard
  /** What the application gave the crew for its threads. */
  readonly data: unknown
  /** Hands a result over; waits while too much is under way. `bytes` is about what it weighs. */
  send(result: unknown, bytes: number, transfer?: readonly TransferListItem[]): void
}

export interface ShardWork {
  readonly sink: DealtSink
  /** A parcel is read: a good moment to hand over what is there. */
  settle?(): void
  /** No more will come; what it returns is the last word of this thread. */
  finish(): unknown
}

/** The life of a thread of a `Crew`: reads its share of each parcel until the end. */
export function serveShard(open: (seat: ShardSeat) => ShardWork): void {
  const { index, count, underway, data } = workerData as ShardStart
  const port = parentPort!
  const weights = new Int32Array(underway)
  const say = (message: FromShard, transfer: readonly TransferListItem[] = []) =>
    port.postMessage(message, transfer)
  const work = open({
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
  })
  port.on('message', (message: ToShard) => {
    if (message.kind === 'end') {
      say({ kind: 'ended', last: work.finish() })
      port.close()
      return
    }
    const { number, bytes, spill, journal } = message
    readParcel(
      new Uint8Array(bytes),
      new Uint8Array(spill),
      new Journal(journal),
      message.count,
      index,
      work.sink,
    )
    work.settle?.()
    say({ kind: 'read', number })
  })
}
