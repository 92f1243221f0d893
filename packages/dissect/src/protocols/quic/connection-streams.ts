import type { Side } from '@tapdeck/wire'
import type { PlaintextSink } from '../../contract/dissector.ts'
import type { Allowance } from '../../memory/budget.ts'
import type { StreamPart } from './frames.ts'
import { StreamBytes } from './stream-bytes.ts'
import { CHUNK, writeChunk } from './stream-chunk.ts'

/** Streams of a connection that are open at the same time, each direction of its own. */
const MAX_OPEN = 4096
/** Streams that have ended are remembered, since parts of them may come again. */
const MAX_ENDED = 4096

/** All streams of one connection, from frames in any order to chunks in order. */
export class ConnectionStreams {
  readonly #sink: PlaintextSink
  readonly #budget: Allowance
  readonly #open = new Map<number, StreamBytes>()
  readonly #ended = new Set<number>()
  #time = 0

  constructor(sink: PlaintextSink, budget: Allowance) {
    this.#sink = sink
    this.#budget = budget
  }

  part(side: Side, part: StreamPart, time: number): void {
    const key = keyOf(side, part.id)
    if (this.#ended.has(key)) return
    this.#time = time
    const stream = this.#open.get(key) ?? this.#begin(key, side, part.id)
    stream.add(part)
    if (stream.isDone) this.#end(key)
  }

  reset(side: Side, id: number, error: number, time: number): void {
    const key = keyOf(side, id)
    if (this.#ended.has(key)) return
    const code = new Uint8Array(8)
    new DataView(code.buffer).setFloat64(0, error)
    this.#end(key)
    this.#sink.data(side, writeChunk(id, CHUNK.reset, code), time)
  }

  finish(time: number): void {
    this.#time = time
    for (const stream of this.#open.values()) stream.finish()
    this.#open.clear()
    this.#sink.finish(0, time)
    this.#sink.finish(1, time)
  }

  #begin(key: number, side: Side, id: number): StreamBytes {
    if (this.#open.size >= MAX_OPEN) {
      const [oldest] = this.#open.keys()
      if (oldest !== undefined) this.#end(oldest)
    }
    const stream = new StreamBytes(this.#budget, (bytes, isLast, isAfterGap) => {
      const flags = (isLast ? CHUNK.last : 0) | (isAfterGap ? CHUNK.gap : 0)
      this.#sink.data(side, writeChunk(id, flags, bytes), this.#time)
    })
    this.#open.set(key, stream)
    return stream
  }

  #end(key: number): void {
    this.#open.get(key)?.finish()
    this.#open.delete(key)
    this.#ended.add(key)
    if (this.#ended.size <= MAX_ENDED) return
    const [oldest] = this.#ended
    if (oldest !== undefined) this.#ended.delete(oldest)
  }
}

function keyOf(side: Side, id: number): number {
  return id * 2 + side
}
