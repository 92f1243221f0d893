import { threadFastPaths } from '../accelerated/fast-paths.ts'
import { ByteWriter } from '../bytes/byte-writer.ts'

let isLent = false

/**
 * A writer with a buffer in WebAssembly chunk memory: copying from the current chunk takes a third of the time. Each
 * thread has one; return it after a bulk write. Undefined while it is in use.
 */
export function borrowWriter(): ByteWriter | undefined {
  if (isLent) return undefined
  isLent = true
  const { memory, chunkCopy } = threadFastPaths
  return new ByteWriter(memory.packBuffer, chunkCopy)
}

/** The caller must not use the writer, nor a view from `written`, any more. */
export function returnWriter(): void {
  isLent = false
}
