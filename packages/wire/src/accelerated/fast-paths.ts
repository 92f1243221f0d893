import type { StreamLimits } from '../stream-limits.ts'
import { ForeignPackets } from './foreign-packets.ts'
import { PlainSegments } from './plain-segments.ts'
import { chunkMemory, type WasmChunkMemory } from './wasm-chunk-memory.ts'

/**
 * The one way from the packet code to WebAssembly: a memory and the code that works in it. The segments are lent to one
 * `TcpTracker` at a time, because its connections are in the memory.
 */
export class FastPaths {
  readonly memory: WasmChunkMemory
  #segments: PlainSegments | undefined
  #foreign: ForeignPackets | undefined
  #isLent = false

  constructor(memory: WasmChunkMemory) {
    this.memory = memory
  }

  /** Undefined while another tracker has them. */
  borrowSegments(limits: StreamLimits): PlainSegments | undefined {
    if (this.#isLent) return undefined
    this.#isLent = true
    this.#segments ??= new PlainSegments(this.memory)
    this.#segments.reset(limits)
    return this.#segments
  }

  /** The borrower has no connections any more. */
  returnSegments(): void {
    this.#isLent = false
  }

  get foreignPackets(): ForeignPackets {
    this.#foreign ??= new ForeignPackets(this.memory)
    return this.#foreign
  }
}

/** Those of this thread: the default of `Streams`. */
export const threadFastPaths = new FastPaths(chunkMemory)
