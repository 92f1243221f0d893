import { ForeignPackets } from './foreign-packets.ts'
import { chunkMemory, type WasmChunkMemory } from './wasm-chunk-memory.ts'

/** The one way from the packet code to WebAssembly: a memory and the code that works in it. */
export class FastPaths {
  readonly #memory: WasmChunkMemory
  #foreign: ForeignPackets | undefined

  constructor(memory: WasmChunkMemory) {
    this.#memory = memory
  }

  get foreignPackets(): ForeignPackets {
    this.#foreign ??= new ForeignPackets(this.#memory)
    return this.#foreign
  }
}

/** Those of this thread: the default of `Streams`. */
export const threadFastPaths = new FastPaths(chunkMemory)
