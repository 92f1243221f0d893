import { serveShard } from '../serve-shard.ts'

/** What a counting thread is to do besides counting: fail at its nth byte, in one way or another. */
export interface CountingOrders {
  readonly failAt?: number
  readonly failure?: 'throw' | 'exit'
  /** Bytes that it says each of its results weighs. */
  readonly weight?: number
  /** How many sources are shared. A byte of 255 makes it leave one; a byte of 254 is not counted. */
  readonly sources?: number
  /** It answers with its count and waits to be dismissed; after `leave`, it ends with its own status. */
  readonly waits?: boolean
  /** It holds nothing meanwhile that would not survive being cut off. */
  readonly free?: boolean
}

/** A thread for tests: tells each byte of what is shared that is its own, by remainder. */
serveShard(async ({ shard, data, send, shared, answer, hold, dismissed, left }) => {
  const {
    failAt = Number.POSITIVE_INFINITY,
    failure,
    weight = 1,
    sources = 1,
    waits,
    free,
  } = data as CountingOrders
  if (!free) hold()
  let count = 0
  const own = (byte: number) => {
    if (byte === 254 || byte % shard.count !== shard.index) return
    if (++count >= failAt && shard.index === 0) {
      if (failure === 'exit') process.exit(3)
      throw new Error('out of luck')
    }
    send(byte, weight)
  }
  answer(async (question) => ({ question, shard: shard.index, count }))
  for (let source = 0; source < sources; source++)
    for await (const chunk of shared()) {
      if (chunk.includes(255)) break
      chunk.forEach(own)
    }
  if (waits) {
    await dismissed()
    if (left()) process.exit(17)
  }
  return count
})
