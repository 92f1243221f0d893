import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { compressionOf } from '@tapdeck/wire'

const CHUNK = 1 << 20

/**
 * The size of a file that several threads can read at the same time, each for itself; undefined where they better leave
 * it to one: what is packed, and what is no file. Throws what the file system throws.
 */
export function plainSize(path: string): number | undefined {
  const stats = statSync(path)
  if (!stats.isFile() || stats.size === 0) return undefined
  const file = openSync(path, 'r')
  try {
    const head = new Uint8Array(4)
    readSync(file, head, 0, head.length, 0)
    return compressionOf(head) === undefined ? stats.size : undefined
  } finally {
    closeSync(file)
  }
}

/**
 * The first `size` bytes of a file, whatever it grows to meanwhile, in chunks that each get memory of their own. Read by
 * the thread that looks at them: where all cores are busy, handing them from one thread to another costs more than it
 * brings, and they are still in the cache. Others of this thread get their turn in between. With
 * `takeStage` each is read to what that gives, where the one before it may have stood.
 */
export async function* readPlainFile(
  path: string,
  size: number,
  takeStage?: () => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    for (let at = 0, turn = CHUNK; at < size; ) {
      const room = takeStage?.() ?? new Uint8Array(Buffer.allocUnsafeSlow(Math.min(CHUNK, size - at)).buffer)
      const read = readSync(file, room, 0, Math.min(room.length, size - at), at)
      if (read === 0) return
      at += read
      yield read === room.length ? room : room.subarray(0, read)
      if (at < turn) continue
      turn = at + CHUNK
      await setImmediate()
    }
  } finally {
    closeSync(file)
  }
}
