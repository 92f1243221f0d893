import { open } from 'node:fs/promises'

/** A file (or its part from `start`, up to `end`) in chunks that each get a buffer of their own. */
export async function* readChunks(
  path: string,
  chunkSize: number,
  start = 0,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkSize, end - at))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Some files, one after the other. */
export async function* readChunksOf(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* readChunks(path, 1 << 20)
}
