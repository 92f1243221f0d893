import { serveShard } from '../serve-shard.ts'

/** What a counting thread is to do besides counting: fail at its nth packet, in one way or another. */
export interface CountingOrders {
  readonly failAt?: number
  readonly failure?: 'throw' | 'exit'
  /** Bytes that it says each of its results weighs. */
  readonly weight?: number
}

/** A thread for tests: tells the first byte behind the addresses of each packet that is its own. */
serveShard(({ shard, data, send }) => {
  const { failAt = Number.POSITIVE_INFINITY, failure, weight = 1 } = data as CountingOrders
  let packets = 0
  return {
    sink: {
      place: 0,
      packet(bytes, start, end) {
        if (++packets >= failAt && shard.index === 0) {
          if (failure === 'exit') process.exit(3)
          throw new Error('out of luck')
        }
        send(bytes[end - 1] ?? start, weight)
      },
      fragment: () => undefined,
      advance: () => undefined,
      restart: () => undefined,
    },
    finish: () => packets,
  }
})
