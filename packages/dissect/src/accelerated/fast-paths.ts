import { chunkMemory, type WasmChunkMemory } from '@tapdeck/wire'
import { QuickHeads } from './quick-heads.ts'

/** The one way from dissection to WebAssembly: a memory and the code that works in it. */
export class FastPaths {
  readonly memory: WasmChunkMemory
  readonly heads: QuickHeads

  constructor(memory: WasmChunkMemory) {
    this.memory = memory
    this.heads = new QuickHeads(memory)
  }
}

/** Those of this thread: the default of `Engine`. */
export const threadFastPaths = new FastPaths(chunkMemory)
