import type { WasmChunkMemory } from '@tapdeck/wire'
import code from './chunk-copy.wasm.ts'

interface ChunkCopyCode {
  /** May overwrite up to 15 bytes after the copy. */
  copy(from: number, end: number, to: number): void
}

/** Copies from the current chunk to another place of its WebAssembly memory. */
export class ChunkCopy {
  readonly #memory: WasmChunkMemory
  /** Resolved once: a lookup among the exports costs as much as the call. */
  readonly #copy: ChunkCopyCode['copy']

  constructor(memory: WasmChunkMemory) {
    this.#memory = memory
    this.#copy = memory.load<ChunkCopyCode>(code).copy
  }

  /** Offset of these bytes in the memory; 0: they are elsewhere. */
  offsetOf(bytes: Uint8Array): number {
    return bytes.buffer === this.#memory.memory.buffer ? bytes.byteOffset : 0
  }

  /** Copies `source[from, to)` to `target`, and maybe up to 15 bytes more. False if `source` is not the current chunk. */
  copy(source: Uint8Array, from: number, to: number, target: number): boolean {
    const memory = this.#memory
    if (!memory.ensureLoaded(source, from, to)) return false
    const copy = this.#copy
    copy(memory.base + from, memory.base + to, target)
    return true
  }
}
