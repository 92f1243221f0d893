import { fstatSync, write } from 'node:fs'
import { availableParallelism } from 'node:os'

/** What there must be of a stream to write to it. */
export interface Written {
  readonly fd: number
  write(text: string | Uint8Array, done: () => void): unknown
  emit(event: 'error', error: unknown): unknown
}

/**
 * Writes one after the other; resolves when it is written, and what goes wrong is the stream's to tell. Bytes for a file are written
 * beside other work, where there is a core for that: its stream would have the thread wait for them.
 */
export function writerOf(
  stream: Written,
  cores = availableParallelism(),
): (text: string | Uint8Array) => Promise<void> {
  const isBeside = cores > 1 && isRegular(stream.fd)
  return (text) =>
    new Promise((resolve) => {
      if (isBeside && typeof text !== 'string')
        writeAll(stream.fd, text).then(resolve, (error) => stream.emit('error', error))
      else stream.write(text, resolve)
    })
}

async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += await new Promise<number>((resolve, reject) =>
      write(file, bytes, done, bytes.length - done, null, (error, written) =>
        error === null ? resolve(written) : reject(error),
      ),
    )
}

function isRegular(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}
